import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Routers(): ReactNode {
  return <PageHead title="Routers" />
}
