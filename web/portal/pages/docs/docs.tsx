import type { ReactNode } from 'react'
import { PageTitle } from '#web/portal/ui/page.tsx'

export default function Docs(): ReactNode {
  return <PageTitle title="Docs" />
}
