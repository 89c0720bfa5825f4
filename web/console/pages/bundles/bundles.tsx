import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Bundles(): ReactNode {
  return <PageHead title="Bundles" />
}
