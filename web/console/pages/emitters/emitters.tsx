import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Emitters(): ReactNode {
  return <PageHead title="Emitters" />
}
