import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Doctor(): ReactNode {
  return <PageHead title="Doctor" />
}
