import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Overview(): ReactNode {
  return <PageHead title="Overview" />
}
