import type { ReactNode } from 'react'
export default function Receipt({ id }: { readonly id: string }): ReactNode {
  return id
}
