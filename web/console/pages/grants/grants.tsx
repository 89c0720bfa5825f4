import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Grants(): ReactNode {
  return <PageHead title="Grants" />
}
