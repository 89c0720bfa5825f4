import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Keys(): ReactNode {
  return <PageHead title="Keys" />
}
