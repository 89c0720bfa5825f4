import type { ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'

export default function SignIn(): ReactNode {
  return <PageHead title="Sign in" />
}
