import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Models(): ReactNode {
  return <PageHead title="Models" />
}
