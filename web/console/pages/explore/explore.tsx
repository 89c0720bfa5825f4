import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Explore(): ReactNode {
  return <PageHead title="Explore" />
}
