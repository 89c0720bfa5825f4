import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Margin(): ReactNode {
  return <PageHead title="Margin" />
}
