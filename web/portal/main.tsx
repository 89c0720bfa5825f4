import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <h1 className="p-6 text-28 font-semibold">portal</h1>
    </StrictMode>,
  )
}
