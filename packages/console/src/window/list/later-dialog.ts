/** Dialogs of the first view, which are not there before somebody opens one. */
export { Dialog as default } from '../../design/controls/dialog.tsx';
