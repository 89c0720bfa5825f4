import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Audit(): ReactNode {
  return <PageHead title="Audit" />
}
