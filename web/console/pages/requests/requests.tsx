import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Requests(): ReactNode {
  return <PageHead title="Requests" />
}
