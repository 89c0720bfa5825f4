import type { ReactNode } from 'react'
import { PageTitle } from '#web/portal/ui/page.tsx'

export default function Activity(): ReactNode {
  return <PageTitle title="Activity" />
}
