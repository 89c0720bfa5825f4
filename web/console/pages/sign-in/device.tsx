import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Device(): ReactNode {
  return <PageHead title="Approve a device" />
}
