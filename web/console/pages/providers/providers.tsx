import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Providers(): ReactNode {
  return <PageHead title="Providers" />
}
