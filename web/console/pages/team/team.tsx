import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Team(): ReactNode {
  return <PageHead title="Team" />
}
