import type { ReactNode } from 'react'
import { PageTitle } from '#web/portal/ui/page.tsx'

export default function Keys(): ReactNode {
  return <PageTitle title="Keys" />
}
