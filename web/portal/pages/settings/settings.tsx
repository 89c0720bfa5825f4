import type { ReactNode } from 'react'
import { PageTitle } from '#web/portal/ui/page.tsx'

export default function Settings(): ReactNode {
  return <PageTitle title="Settings" />
}
