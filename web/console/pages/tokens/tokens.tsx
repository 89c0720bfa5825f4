import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Tokens(): ReactNode {
  return <PageHead title="Tokens" />
}
