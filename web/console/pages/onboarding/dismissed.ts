/** Whether the setup was dismissed in this browser. It remains at its address. */
const key = 'tollgate getting started'

export function dismissOnboarding(): void {
  localStorage.setItem(key, 'later')
}
