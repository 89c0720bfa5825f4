import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Bill(): ReactNode {
  return <PageHead title="Bill" />
}
