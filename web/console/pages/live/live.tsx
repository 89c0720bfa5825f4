import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Live(): ReactNode {
  return <PageHead title="Live" />
}
