import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Setup(): ReactNode {
  return <PageHead title="Set up" />
}
