import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Apps(): ReactNode {
  return <PageHead title="Applications" />
}
