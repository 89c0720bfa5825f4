import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Request(): ReactNode {
  return <PageHead title="Request" />
}
