import type { ReactNode } from 'react'
import { PageTitle } from '#web/portal/ui/page.tsx'

export default function Ledger(): ReactNode {
  return <PageTitle title="Ledger" />
}
