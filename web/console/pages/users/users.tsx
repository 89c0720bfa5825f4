import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Users(): ReactNode {
  return <PageHead title="End users" />
}
