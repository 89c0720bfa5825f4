import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function Invoices(): ReactNode {
  return <PageHead title="Invoices" />
}
