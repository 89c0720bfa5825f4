/**
 * Returns whether the form of the page's primary action is open. The form is open if the URL contains `act=new`, so
 * that the command bar can open it.
 */
import { useSearchText } from './url-parameters.ts'

export function useAct(name = 'new'): readonly [isOpen: boolean, open: () => void, close: () => void] {
  const [act, setAct] = useSearchText('act')
  return [act === name, () => setAct(name), () => setAct(null)]
}
