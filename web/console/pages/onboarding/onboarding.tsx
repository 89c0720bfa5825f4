import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Onboarding(): ReactNode {
  return <PageHead title="Getting started" />
}
