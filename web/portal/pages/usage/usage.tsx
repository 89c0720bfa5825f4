import type { ReactNode } from 'react'
import { PageTitle } from '#web/portal/ui/page.tsx'

export default function Usage(): ReactNode {
  return <PageTitle title="Usage" />
}
