# Completion of recon for fish. Made by tools/make-completion: `make docs`.
function __recon_is
    set -l words (commandline -opc)
    test "$words[2]" = $argv[1]
end
function __recon_specs
    set -l word (commandline -ct)
    if string match -q "*:*" -- $word
        set -l parts (string split -m 1 : -- $word)
        printf "$parts[1]:%s\n" (__fish_complete_path $parts[2])
    else
        string split " " "garments mnist mnist/train mnist/val mnist/test fashion fashion/train fashion/val fashion/test idx: npy: images: amat: conformers conformers/train conformers/val conformers/test conformers/all xyz: sdf: geom: flat:"
    end
end
complete -c recon -n __fish_use_subcommand -f -a demo -d 'a minute\'s tour on shipped data and models, as a page to read'
complete -c recon -n __fish_use_subcommand -f -a train -d 'train a backbone on images or molecules, without labels'
complete -c recon -n __fish_use_subcommand -f -a discover -d 'find the natural poses of images or molecules, and learn them'
complete -c recon -n __fish_use_subcommand -f -a normalize -d 'pose distributions from embeddings and poses of any backbone'
complete -c recon -n __fish_use_subcommand -f -a report -d 'show what discover or normalize found, as one HTML page'
complete -c recon -n __fish_use_subcommand -f -a canonicalize -d 'turn images or molecules into their natural pose'
complete -c recon -n __fish_use_subcommand -f -a score -d 'say how unnatural the pose of each image or molecule is'
complete -c recon -n __fish_use_subcommand -f -a distribution -d 'show the pose distribution of one image or molecule'
complete -c recon -n __fish_use_subcommand -f -a check -d 'measure how truly a model turns with its images or molecules'
complete -c recon -n __fish_use_subcommand -f -a classifier -d 'train or measure a classifier of images or molecules'
complete -c recon -n __fish_use_subcommand -f -a reproduce -d 'the paper\'s tables, ours beside theirs'
complete -c recon -n __fish_use_subcommand -f -a info -d 'what an array, a model, a folder of results or a data set holds'
complete -c recon -n '__recon_is demo' -l out -d 'folder for the page and its files (default recon-demo)' -r -F
complete -c recon -n '__recon_is demo' -l limit -d 'garments (default all 2,000): fewer are quicker, figures rougher' -x
complete -c recon -n '__recon_is train' -l out -d 'file for the best weights (required)' -r -F
complete -c recon -n '__recon_is train' -l group -d 'how objects are turned (default: images so2, molecules so3)' -x -a 'auto so2 so3'
complete -c recon -n '__recon_is train' -l preset -d 'network: fast for a GPU (default), small for a CPU, the paper\'s layers' -x -a 'fast paper small'
complete -c recon -n '__recon_is train' -l width -d 'times the preset\'s fields (default 1)' -x
complete -c recon -n '__recon_is train' -l frequencies -d 'images: rotation orders of the fields, 2 to 4 (default: preset\'s)' -x
complete -c recon -n '__recon_is train' -l code -d 'length of the embedding (default 128, molecules 64)' -x
complete -c recon -n '__recon_is train' -l mask -d 'images: see through a disc: for objects that fill the corners'
complete -c recon -n '__recon_is train' -l epochs -d 'times through the data (default: preset\'s)' -x
complete -c recon -n '__recon_is train' -l batch -d 'images or conformers a step (default: preset\'s)' -x
complete -c recon -n '__recon_is train' -l rate -d 'highest learning rate (default: preset\'s)' -x
complete -c recon -n '__recon_is train' -l contrast -d 'weight of telling inputs apart (default: preset\'s)' -x
complete -c recon -n '__recon_is train' -l no-contrast -d 'leave that out: better where classes differ by details'
complete -c recon -n '__recon_is train' -l temperature -d 'of that (default 0.2, molecules 0.1)' -x
complete -c recon -n '__recon_is train' -l pose -d 'images: weight of the known turn between views (default: preset\'s)' -x
complete -c recon -n '__recon_is train' -l lean -d 'images: weight of the natural pose (default: preset\'s)' -x
complete -c recon -n '__recon_is train' -l warp -d 'images: stretch the second view by up to S (default 0.2)' -x
complete -c recon -n '__recon_is train' -l plain -d 'the reconstruction alone, as in the paper'
complete -c recon -n '__recon_is train' -l align -d 'molecules: weight of laying neighbours over each other (default 4, small 0.5)' -x
complete -c recon -n '__recon_is train' -l element -d 'molecules: weight of the elements (default: preset\'s)' -x
complete -c recon -n '__recon_is train' -l held -d 'molecules: to validate on (default: one conformer of twelve)' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is train' -l before -d 'molecules: epochs before neighbours are looked for (default 8)' -x
complete -c recon -n '__recon_is train' -l layers -d 'molecules: of messages (default: preset\'s)' -x
complete -c recon -n '__recon_is train' -l radius -d 'molecules: paper: reach of a message in Angstrom (default 2)' -x
complete -c recon -n '__recon_is train' -l every -d 'a checkpoint every N steps too (default: every epoch)' -x
complete -c recon -n '__recon_is train' -l resume -d 'go on from MODEL.last if it is there'
complete -c recon -n '__recon_is train' -l data -d 'images: garments, mnist/train|val|test, fashion/train|val|test, idx:FILE, npy:FILE, images:DIR, amat:FILE; molecules: conformers/train|val|test|all, xyz:FILE|DIR|LIST, sdf:FILE, geom:FILE, flat:DIR; or a file or folder of such (required)' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is train' -l turn -d 'turn what is upright first: mnist, fashion, all; fisher, haar; or a JSON file' -r -F
complete -c recon -n '__recon_is train' -l turn-seed -d 'of those turns (default 1)' -x
complete -c recon -n '__recon_is train' -l limit -d 'take N images or conformers at random' -x
complete -c recon -n '__recon_is train' -l seed -d 'of what is random (default 1)' -x
complete -c recon -n '__recon_is train' -l skip-bad -d 'leave out what cannot be used, and say which'
complete -c recon -n '__recon_is train' -l size -d 'images: fit pictures into N x N (default: the model\'s size, if any)' -x
complete -c recon -n '__recon_is train' -l picture-limit -d 'images: the most memory that one picture may take, if that is above 32 times its file (default 268)' -x
complete -c recon -n '__recon_is train' -l device -d 'where to compute (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is train' -l deterministic -d 'with cuda: the same bits in every run, more slowly'
complete -c recon -n '__recon_is train' -l precision -d 'of activations and products (default auto: the fastest that is accurate enough)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is discover' -l model -d 'what `recon train` wrote (required)' -r -F
complete -c recon -n '__recon_is discover' -l out -d 'folder for the results (required)' -r -F
complete -c recon -n '__recon_is discover' -l k -d 'neighbours (default 10, molecules 25)' -x
complete -c recon -n '__recon_is discover' -l mean -d 'centre of poses (default tukey; of molecules one that a class agrees on)' -x -a 'tukey frechet chordal'
complete -c recon -n '__recon_is discover' -l family -d 'images: what Theta is the width of (default auto)' -x -a 'auto uniform normal'
complete -c recon -n '__recon_is discover' -l half -d 'store weights as bfloat16: half the size'
complete -c recon -n '__recon_is discover' -l keep-embeddings -d 'write z.npy and g.npy too'
complete -c recon -n '__recon_is discover' -l data -d 'images: garments, mnist/train|val|test, fashion/train|val|test, idx:FILE, npy:FILE, images:DIR, amat:FILE; molecules: conformers/train|val|test|all, xyz:FILE|DIR|LIST, sdf:FILE, geom:FILE, flat:DIR; or a file or folder of such (required)' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is discover' -l turn -d 'turn what is upright first: mnist, fashion, all; fisher, haar; or a JSON file' -r -F
complete -c recon -n '__recon_is discover' -l turn-seed -d 'of those turns (default 1)' -x
complete -c recon -n '__recon_is discover' -l limit -d 'take N images or conformers at random' -x
complete -c recon -n '__recon_is discover' -l seed -d 'of what is random (default 1)' -x
complete -c recon -n '__recon_is discover' -l skip-bad -d 'leave out what cannot be used, and say which'
complete -c recon -n '__recon_is discover' -l size -d 'images: fit pictures into N x N (default: the model\'s size, if any)' -x
complete -c recon -n '__recon_is discover' -l picture-limit -d 'images: the most memory that one picture may take, if that is above 32 times its file (default 268)' -x
complete -c recon -n '__recon_is discover' -l device -d 'where to compute (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is discover' -l deterministic -d 'with cuda: the same bits in every run, more slowly'
complete -c recon -n '__recon_is discover' -l precision -d 'of activations and products (default auto: the fastest that is accurate enough)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is normalize' -l embeddings -d 'z, N x D (required)' -r -F
complete -c recon -n '__recon_is normalize' -l poses -d 'g, one pose a row (required)' -r -F
complete -c recon -n '__recon_is normalize' -l out -d 'folder for the results (required)' -r -F
complete -c recon -n '__recon_is normalize' -l group -d 'the poses\' group (default so2)' -x -a 'so2 so3'
complete -c recon -n '__recon_is normalize' -l k -d 'with knn: neighbours that make a class (default 10)' -x
complete -c recon -n '__recon_is normalize' -l query -d 'answer for these instead of the points themselves' -r -F
complete -c recon -n '__recon_is normalize' -l mean -d 'what Gamma is (default tukey)' -x -a 'tukey frechet chordal'
complete -c recon -n '__recon_is normalize' -l tukey-c -d 'fix Tukey\'s c (default: from the data)' -x
complete -c recon -n '__recon_is normalize' -l classes -d 'what a class is (default knn)' -x -a 'knn components'
complete -c recon -n '__recon_is normalize' -l eps -d 'with components: join points nearer than this' -x
complete -c recon -n '__recon_is normalize' -l metric -d 'similarity of embeddings (default cosine)' -x -a 'cosine dot euclidean'
complete -c recon -n '__recon_is normalize' -l include-self -d 'a point counts among its own neighbours'
complete -c recon -n '__recon_is normalize' -l family -d 'distribution to fit (default auto; so3 is fisher)' -x -a 'auto uniform normal vonmises mixture fisher'
complete -c recon -n '__recon_is normalize' -l labels -d 'true classes, to measure the hit rate only' -r -F
complete -c recon -n '__recon_is normalize' -l query-labels -d 'the same for the queries' -r -F
complete -c recon -n '__recon_is normalize' -l approx -d 'neighbour search (default auto: exact to a million rows)' -x -a 'auto exact ivf hnsw'
complete -c recon -n '__recon_is report' -l out -d 'the page (default DIR/report.html)' -r -F
complete -c recon -n '__recon_is report' -l data -d 'images: garments, mnist/train|val|test, fashion/train|val|test, idx:FILE, npy:FILE, images:DIR, amat:FILE; molecules: conformers/train|val|test|all, xyz:FILE|DIR|LIST, sdf:FILE, geom:FILE, flat:DIR; or a file or folder of such' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is report' -l turn -d 'turn what is upright first: mnist, fashion, all; fisher, haar; or a JSON file' -r -F
complete -c recon -n '__recon_is report' -l turn-seed -d 'of those turns (default 1)' -x
complete -c recon -n '__recon_is report' -l limit -d 'take N images or conformers at random' -x
complete -c recon -n '__recon_is report' -l seed -d 'of what is random (default 1)' -x
complete -c recon -n '__recon_is report' -l skip-bad -d 'leave out what cannot be used, and say which'
complete -c recon -n '__recon_is report' -l size -d 'images: fit pictures into N x N (default: the model\'s size, if any)' -x
complete -c recon -n '__recon_is report' -l picture-limit -d 'images: the most memory that one picture may take, if that is above 32 times its file (default 268)' -x
complete -c recon -n '__recon_is report' -l device -d 'where to compute (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is report' -l deterministic -d 'with cuda: the same bits in every run, more slowly'
complete -c recon -n '__recon_is report' -l precision -d 'of activations and products (default auto: the fastest that is accurate enough)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is canonicalize' -l model -d 'what `recon discover` wrote (required)' -r -F
complete -c recon -n '__recon_is canonicalize' -l out -d 'for what is canonical (required)' -r -F
complete -c recon -n '__recon_is canonicalize' -l poses -d 'file for the poses' -r -F
complete -c recon -n '__recon_is canonicalize' -l interpolation -d 'images: of the one resampling (default bilinear)' -x -a 'bilinear bicubic'
complete -c recon -n '__recon_is canonicalize' -l data -d 'images: garments, mnist/train|val|test, fashion/train|val|test, idx:FILE, npy:FILE, images:DIR, amat:FILE; molecules: conformers/train|val|test|all, xyz:FILE|DIR|LIST, sdf:FILE, geom:FILE, flat:DIR; or a file or folder of such (required)' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is canonicalize' -l turn -d 'turn what is upright first: mnist, fashion, all; fisher, haar; or a JSON file' -r -F
complete -c recon -n '__recon_is canonicalize' -l turn-seed -d 'of those turns (default 1)' -x
complete -c recon -n '__recon_is canonicalize' -l limit -d 'take N images or conformers at random' -x
complete -c recon -n '__recon_is canonicalize' -l seed -d 'of what is random (default 1)' -x
complete -c recon -n '__recon_is canonicalize' -l skip-bad -d 'leave out what cannot be used, and say which'
complete -c recon -n '__recon_is canonicalize' -l size -d 'images: fit pictures into N x N (default: the model\'s size, if any)' -x
complete -c recon -n '__recon_is canonicalize' -l picture-limit -d 'images: the most memory that one picture may take, if that is above 32 times its file (default 268)' -x
complete -c recon -n '__recon_is canonicalize' -l device -d 'where to compute (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is canonicalize' -l deterministic -d 'with cuda: the same bits in every run, more slowly'
complete -c recon -n '__recon_is canonicalize' -l precision -d 'of activations and products (default auto: the fastest that is accurate enough)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is score' -l model -d 'what `recon discover` wrote (required)' -r -F
complete -c recon -n '__recon_is score' -l out -d 'file for the scores, or for a table of them (required)' -r -F
complete -c recon -n '__recon_is score' -l rows -d 'file for which of the data they are, counted from 0' -r -F
complete -c recon -n '__recon_is score' -l false-alarms -d 'of natural inputs called odd (default 0.01)' -x
complete -c recon -n '__recon_is score' -l data -d 'images: garments, mnist/train|val|test, fashion/train|val|test, idx:FILE, npy:FILE, images:DIR, amat:FILE; molecules: conformers/train|val|test|all, xyz:FILE|DIR|LIST, sdf:FILE, geom:FILE, flat:DIR; or a file or folder of such (required)' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is score' -l turn -d 'turn what is upright first: mnist, fashion, all; fisher, haar; or a JSON file' -r -F
complete -c recon -n '__recon_is score' -l turn-seed -d 'of those turns (default 1)' -x
complete -c recon -n '__recon_is score' -l limit -d 'take N images or conformers at random' -x
complete -c recon -n '__recon_is score' -l seed -d 'of what is random (default 1)' -x
complete -c recon -n '__recon_is score' -l skip-bad -d 'leave out what cannot be used, and say which'
complete -c recon -n '__recon_is score' -l size -d 'images: fit pictures into N x N (default: the model\'s size, if any)' -x
complete -c recon -n '__recon_is score' -l picture-limit -d 'images: the most memory that one picture may take, if that is above 32 times its file (default 268)' -x
complete -c recon -n '__recon_is score' -l device -d 'where to compute (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is score' -l deterministic -d 'with cuda: the same bits in every run, more slowly'
complete -c recon -n '__recon_is score' -l precision -d 'of activations and products (default auto: the fastest that is accurate enough)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is distribution' -l model -d 'what `recon discover` wrote (required)' -r -F
complete -c recon -n '__recon_is distribution' -l index -d 'of the image or conformer, from 0 on (default 0)' -x
complete -c recon -n '__recon_is distribution' -l svg -d 'draw it too' -r -F
complete -c recon -n '__recon_is distribution' -l data -d 'images: garments, mnist/train|val|test, fashion/train|val|test, idx:FILE, npy:FILE, images:DIR, amat:FILE; molecules: conformers/train|val|test|all, xyz:FILE|DIR|LIST, sdf:FILE, geom:FILE, flat:DIR; or a file or folder of such (required)' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is distribution' -l turn -d 'turn what is upright first: mnist, fashion, all; fisher, haar; or a JSON file' -r -F
complete -c recon -n '__recon_is distribution' -l turn-seed -d 'of those turns (default 1)' -x
complete -c recon -n '__recon_is distribution' -l limit -d 'take N images or conformers at random' -x
complete -c recon -n '__recon_is distribution' -l seed -d 'of what is random (default 1)' -x
complete -c recon -n '__recon_is distribution' -l skip-bad -d 'leave out what cannot be used, and say which'
complete -c recon -n '__recon_is distribution' -l size -d 'images: fit pictures into N x N (default: the model\'s size, if any)' -x
complete -c recon -n '__recon_is distribution' -l picture-limit -d 'images: the most memory that one picture may take, if that is above 32 times its file (default 268)' -x
complete -c recon -n '__recon_is distribution' -l device -d 'where to compute (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is distribution' -l deterministic -d 'with cuda: the same bits in every run, more slowly'
complete -c recon -n '__recon_is distribution' -l precision -d 'of activations and products (default auto: the fastest that is accurate enough)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is check' -l svg -d 'images: draw the errors too' -r -F
complete -c recon -n '__recon_is check' -l data -d 'images: garments, mnist/train|val|test, fashion/train|val|test, idx:FILE, npy:FILE, images:DIR, amat:FILE; molecules: conformers/train|val|test|all, xyz:FILE|DIR|LIST, sdf:FILE, geom:FILE, flat:DIR; or a file or folder of such' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is check' -l turn -d 'turn what is upright first: mnist, fashion, all; fisher, haar; or a JSON file' -r -F
complete -c recon -n '__recon_is check' -l turn-seed -d 'of those turns (default 1)' -x
complete -c recon -n '__recon_is check' -l limit -d 'take N images or conformers at random' -x
complete -c recon -n '__recon_is check' -l seed -d 'of what is random (default 1)' -x
complete -c recon -n '__recon_is check' -l skip-bad -d 'leave out what cannot be used, and say which'
complete -c recon -n '__recon_is check' -l size -d 'images: fit pictures into N x N (default: the model\'s size, if any)' -x
complete -c recon -n '__recon_is check' -l picture-limit -d 'images: the most memory that one picture may take, if that is above 32 times its file (default 268)' -x
complete -c recon -n '__recon_is check' -l device -d 'where to compute (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is check' -l deterministic -d 'with cuda: the same bits in every run, more slowly'
complete -c recon -n '__recon_is check' -l precision -d 'of activations and products (default auto: the fastest that is accurate enough)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is classifier' -l out -d 'train: file for the best weights' -r -F
complete -c recon -n '__recon_is classifier' -l model -d 'eval: what train wrote' -r -F
complete -c recon -n '__recon_is classifier' -l net -d 'images: network (default small)' -x -a 'small resnet18'
complete -c recon -n '__recon_is classifier' -l width -d 'channels: of resnet18\'s first stage (default 64), of molecules (default 128)' -x
complete -c recon -n '__recon_is classifier' -l shift -d 'images: move at random by up to P pixels (default 0)' -x
complete -c recon -n '__recon_is classifier' -l flip -d 'images: mirror, left for right, half of the time'
complete -c recon -n '__recon_is classifier' -l epochs -d 'times through the data (default 3, resnet18 15, molecules 50)' -x
complete -c recon -n '__recon_is classifier' -l batch -d 'inputs a step (default 64, resnet18 and molecules 128)' -x
complete -c recon -n '__recon_is classifier' -l rate -d 'highest learning rate (default 0.002, resnet18 and molecules 0.001)' -x
complete -c recon -n '__recon_is classifier' -l held -d 'molecules: train: to validate on (default: one conformer of twelve of each molecule)' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is classifier' -l every -d 'a checkpoint every N steps too (default: every epoch)' -x
complete -c recon -n '__recon_is classifier' -l weights -d 'as written to MODEL (default f32)' -x -a 'f32 bf16'
complete -c recon -n '__recon_is classifier' -l resume -d 'go on from MODEL.last if it is there'
complete -c recon -n '__recon_is classifier' -l data -d 'images: garments, mnist/train|val|test, fashion/train|val|test, idx:FILE, npy:FILE, images:DIR, amat:FILE; molecules: conformers/train|val|test|all, xyz:FILE|DIR|LIST, sdf:FILE, geom:FILE, flat:DIR; or a file or folder of such (required)' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is classifier' -l turn -d 'turn what is upright first: mnist, fashion, all; fisher, haar; or a JSON file' -r -F
complete -c recon -n '__recon_is classifier' -l turn-seed -d 'of those turns (default 1)' -x
complete -c recon -n '__recon_is classifier' -l limit -d 'take N images or conformers at random' -x
complete -c recon -n '__recon_is classifier' -l seed -d 'of what is random (default 1)' -x
complete -c recon -n '__recon_is classifier' -l skip-bad -d 'leave out what cannot be used, and say which'
complete -c recon -n '__recon_is classifier' -l size -d 'images: fit pictures into N x N (default: the model\'s size, if any)' -x
complete -c recon -n '__recon_is classifier' -l picture-limit -d 'images: the most memory that one picture may take, if that is above 32 times its file (default 268)' -x
complete -c recon -n '__recon_is classifier' -l device -d 'where to compute (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is classifier' -l deterministic -d 'with cuda: the same bits in every run, more slowly'
complete -c recon -n '__recon_is classifier' -l precision -d 'of activations and products (default auto: the fastest that is accurate enough)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is classifier' -f -a 'train eval'
complete -c recon -n '__recon_is reproduce' -l quick -d 'a part of the data: minutes on two cores'
complete -c recon -n '__recon_is reproduce' -l figures -d 'write the figures there, as SVG' -r -F
complete -c recon -n '__recon_is reproduce' -l model -d 'what `recon discover` wrote (default: the shipped one)' -r -F
complete -c recon -n '__recon_is reproduce' -l classifier -d 'what `recon classifier train` wrote (default: the shipped one)' -r -F
complete -c recon -n '__recon_is reproduce' -l embeddings -d 'images: z.npy and g.npy of the training images, as `recon discover` keeps them' -r -F
complete -c recon -n '__recon_is reproduce' -l images -d 'images: of the test split (default all)' -x
complete -c recon -n '__recon_is reproduce' -l limit -d 'images: of the training split (default all; the paper has 12000 of MNIST)' -x
complete -c recon -n '__recon_is reproduce' -l preset -d 'which model (default fast)' -x -a 'fast paper small'
complete -c recon -n '__recon_is reproduce' -l train -d 'train the model instead of taking a shipped one'
complete -c recon -n '__recon_is reproduce' -l out -d 'with --train: for the models' -r -F
complete -c recon -n '__recon_is reproduce' -l epochs -d 'with --train: times through the data (default: the shipped model\'s)' -x
complete -c recon -n '__recon_is reproduce' -l seed -d 'with --train: of the first model (default 1)' -x
complete -c recon -n '__recon_is reproduce' -l seeds -d 'with --train: how many models, for mean and spread (default 1)' -x
complete -c recon -n '__recon_is reproduce' -l resume -d 'with --train: go on where a stopped run left off'
complete -c recon -n '__recon_is reproduce' -l device -d 'where to compute (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is reproduce' -l precision -d 'of activations and products (default auto: the fastest that is accurate enough)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is reproduce' -l deterministic -d 'with cuda: the same bits in every run, more slowly'
complete -c recon -n '__recon_is reproduce' -f -a 'mnist fashion molecules'
complete -c recon -n '__recon_is info' -l skip-bad -d 'leave out what cannot be used, and say which'
complete -c recon -n '__recon_is info' -l picture-limit -d 'images: the most memory that one picture may take, if that is above 32 times its file (default 268)' -x
complete -c recon -n 'not __fish_use_subcommand' -l threads -d 'threads to use (default: all)' -x
complete -c recon -n 'not __fish_use_subcommand' -l json -d 'print one JSON object instead of text'
complete -c recon -n 'not __fish_use_subcommand' -l quiet -d 'no progress, errors only'
