import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Workbench(): ReactNode {
  return <PageHead title="Workbench" />
}
