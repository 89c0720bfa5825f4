import './portal.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { signInByLink } from './sign-in-by-link.ts'
import { Portal } from './portal-application.tsx'
import { keepFocus } from '#web/ui/keep-focus.ts'
import { applyTheme } from '#web/ui/theme.ts'

applyTheme()
keepFocus()
// A sign-in link that is opened in the same tab changes only the URL's fragment, so the browser does not reload.
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#handoff=')) location.reload()
})
const root = document.getElementById('root')
if (root) {
  void signInByLink()
  createRoot(root).render(
    <StrictMode>
      <Portal />
    </StrictMode>,
  )
}
