import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { AuthenticationError } from '#sdk/errors.ts'
import { Toasts } from '#web/ui/toast.tsx'
import { consoleRouter } from './router.tsx'
import { endSession } from './sign-in/member-session.ts'
import { isFormOpen, signInAgain } from './sign-in/sign-in-again.tsx'
import { keepFocus } from '#web/ui/keep-focus.ts'
import { applyTheme } from '#web/ui/theme.ts'

applyTheme()
keepFocus()

const queries = new QueryClient({
  queryCache: new QueryCache({
    onError(error) {
      if (!(error instanceof AuthenticationError)) return
      // If a form is open, keep the page and the typed text after the session has ended.
      void signOutUnlessSignedInAgain()
    },
  }),
  defaultOptions: {
    // By default, a change waits for a connection, and is sent later even if the user has canceled it. Servers on the
    // same machine need no connection.
    queries: { networkMode: 'always', retry: false, staleTime: 10_000 },
    mutations: { networkMode: 'always', retry: false },
  },
})
const router = consoleRouter(queries)

async function signOutUnlessSignedInAgain(): Promise<void> {
  if (!isFormOpen() || !(await signInAgain())) await signOutHere()
}

async function signOutHere(): Promise<void> {
  endSession(queries)
  await router.invalidate()
}

const element = document.getElementById('root')
if (element) {
  createRoot(element).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </StrictMode>,
  )
}
