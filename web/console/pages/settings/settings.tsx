import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Settings(): ReactNode {
  return <PageHead title="Settings" />
}
