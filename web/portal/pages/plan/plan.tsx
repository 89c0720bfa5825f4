import type { ReactNode } from 'react'
import { PageTitle } from '#web/portal/ui/page.tsx'

export default function Plan(): ReactNode {
  return <PageTitle title="Plan" />
}
