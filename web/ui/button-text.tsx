import type { ReactNode } from 'react'

/** For text that contains a name, which may be long. Without it, the button has a gap before the name. */
export function ButtonText({ children }: { readonly children: ReactNode }): ReactNode {
  return <span className="min-w-0 truncate">{children}</span>
}
