import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Outcomes(): ReactNode {
  return <PageHead title="Outcomes" />
}
