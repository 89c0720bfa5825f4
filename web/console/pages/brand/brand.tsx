import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Brand(): ReactNode {
  return <PageHead title="Brand and portal" />
}
