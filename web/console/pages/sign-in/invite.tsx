import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Invite(): ReactNode {
  return <PageHead title="Join" />
}
