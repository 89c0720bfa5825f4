import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Playground(): ReactNode {
  return <PageHead title="Playground" />
}
