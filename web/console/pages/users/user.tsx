import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function User(): ReactNode {
  return <PageHead title="End user" />
}
