import { useMedia } from '../../design/hooks/use-media.ts';
import { DetailsPane } from '../../design/layout/details.tsx';
import type { Tree } from '../model/tree.ts';
import { NodeDetails, titleOf } from './panel.tsx';

interface ChosenProps {
  tree: Tree;
  node: string;
  limit: number;
  isPast: boolean;
  conversation: string | undefined;
  onClose: () => void;
}

/** What is chosen: beside the tree, or over it where there is no room. */
export function Chosen({ tree, node, limit, isPast, conversation, onClose }: ChosenProps) {
  const isWide = useMedia('(min-width: 1500px)');
  const { icon, text } = titleOf(tree, node);
  return (
    <DetailsPane label="What is chosen" icon={icon} title={text} isBeside={isWide} onClose={onClose}>
      <NodeDetails key={node} {...{ tree, node, limit, isPast, conversation }} />
    </DetailsPane>
  );
}
