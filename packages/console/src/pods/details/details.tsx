import { useNavigate } from '@tanstack/react-router';
import { Info, Layers, MessageSquare } from 'lucide-react';
import { useMedia } from '../../design/hooks/use-media.ts';
import { DetailsPane } from '../../design/layout/details.tsx';
import type { MessageDraft } from '../send/draft.ts';
import { AboutPod } from './about.tsx';
import { ContextDetails } from './context.tsx';
import { MessageDetails } from './message.tsx';
import type { DetailsProps } from './props.ts';

/** What is chosen, or what holds in the pod: beside the messages, or over them where there is no room. */
export function Details(given: DetailsProps) {
  const { node, search, isBeside, onClose, onDraft } = given;
  const navigate = useNavigate();
  const isWide = useMedia('(min-width: 1400px)') && search.beside === undefined;
  const isAbout = node === undefined && search.about === true && !isBeside;
  if (node === undefined && !isAbout) return null;
  const close = isAbout
    ? () => void navigate({ to: '.', search: (before) => ({ ...before, about: undefined }) })
    : onClose;
  // What covers the place to write gives way to it.
  const props = {
    ...given,
    onDraft:
      onDraft &&
      ((more: Partial<MessageDraft>) => {
        if (!isWide) onClose();
        onDraft(more);
      }),
  };
  const { icon, title, content } = isAbout
    ? { icon: <Info aria-hidden />, title: 'About this pod', content: <AboutPod {...props} /> }
    : contentOf(props, node!);
  return (
    <DetailsPane label="Details" icon={icon} title={title} isBeside={isWide} onClose={close}>
      {content}
    </DetailsPane>
  );
}

function contentOf(props: DetailsProps, node: string) {
  if (node.startsWith('c:')) {
    const id = node.slice(2);
    const type = props.contexts.get(id)?.type;
    return {
      icon: <Layers aria-hidden />,
      title: type ?? 'Context',
      content: <ContextDetails key={node} id={id} {...props} />,
    };
  }
  return {
    icon: <MessageSquare aria-hidden />,
    title: `Message ${node.slice(2)}`,
    content: <MessageDetails key={node} seq={Number(node.slice(2))} {...props} />,
  };
}
