import type { ReactNode } from 'react'
import { PageTitle } from '#web/portal/ui/page.tsx'

export default function Limits(): ReactNode {
  return <PageTitle title="Limits" />
}
