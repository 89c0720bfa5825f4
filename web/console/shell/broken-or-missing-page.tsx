import { useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ConnectionError } from '#sdk/errors.ts'
import { FailureNote } from '#web/ui/failure.tsx'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { isServerReachable } from '../load-page.ts'
import { Go } from './console-links.tsx'

export function BrokenPage({ error, reset }: ErrorComponentProps): ReactNode {
  const router = useRouter()
  const retry = async (): Promise<void> => {
    if (!(error instanceof ConnectionError)) {
      reset()
      await router.invalidate()
      return
    }
    // Browsers don't load the same script again in the same document.
    if (await isServerReachable()) location.reload()
  }
  return <FailureNote title="This page couldn't be loaded." error={error} onRetry={() => void retry()} />
}

export function MissingPage(): ReactNode {
  return (
    <main className="mx-auto max-w-prose p-6">
      <PageHead
        title="Page not found"
        about="The address may contain a typo, or the page may have been removed."
      />
      <Go to="/">Go to Overview</Go>
    </main>
  )
}
