# Completion of recon for fish. Made by tools/make-completion: `make docs`.
function __recon_is
    set -l words (commandline -opc)
    set -l n (math (count $argv) + 1)
    test "$words[2..$n]" = "$argv"
end
function __recon_specs
    set -l word (commandline -ct)
    if string match -q "*:*" -- $word
        set -l parts (string split -m 1 : -- $word)
        printf "$parts[1]:%s\n" (__fish_complete_path $parts[2])
    else
        string split " " "garments mnist mnist/train mnist/val mnist/test mnist12k mnist12k/train mnist12k/val mnist12k/test fashion fashion/train fashion/val fashion/test cifar10 cifar10/train cifar10/val cifar10/test idx: npy: images: amat: conformers conformers/train conformers/val conformers/test conformers/all xyz: sdf: geom: flat:"
    end
end
complete -c recon -n __fish_use_subcommand -f -a upright -d 'rotate pictures or molecules upright where that is clear'
complete -c recon -n __fish_use_subcommand -f -a demo -d 'a short tour on shipped data and models, written as an HTML page'
complete -c recon -n __fish_use_subcommand -f -a train -d 'train a backbone on images or molecules, without labels'
complete -c recon -n __fish_use_subcommand -f -a discover -d 'find the natural poses of images or molecules, and learn them'
complete -c recon -n __fish_use_subcommand -f -a normalize -d 'pose distributions from embeddings and poses of any backbone'
complete -c recon -n __fish_use_subcommand -f -a report -d 'show the results of discover or normalize as an HTML page'
complete -c recon -n __fish_use_subcommand -f -a canonicalize -d 'rotate images or molecules into their natural pose'
complete -c recon -n __fish_use_subcommand -f -a audit -d 'list the inputs of an aligned set that are not aligned'
complete -c recon -n __fish_use_subcommand -f -a score -d 'score how unusual the pose of each image or molecule is'
complete -c recon -n __fish_use_subcommand -f -a distribution -d 'show the pose distribution of one image or molecule'
complete -c recon -n __fish_use_subcommand -f -a export -d 'write a model as an ONNX file, for other runtimes'
complete -c recon -n __fish_use_subcommand -f -a check -d 'measure how equivariant a model is'
complete -c recon -n __fish_use_subcommand -f -a classifier -d 'train or measure a classifier of images or molecules'
complete -c recon -n __fish_use_subcommand -f -a reproduce -d 'one of several experiments'
complete -c recon -n '__recon_is reproduce; and test (count (commandline -opc)) -eq 2' -f -a 'mnist mnist12k fashion images molecules estimators groups letters cifar10 words '
complete -c recon -n __fish_use_subcommand -f -a info -d 'describe an array, a model, a result folder or a data set'
complete -c recon -n __fish_use_subcommand -f -a models -d 'list the models that come with recon'
complete -c recon -n '__recon_is upright' -l out -s o -d 'the result (default: PATH-upright)' -r -F
complete -c recon -n '__recon_is upright' -l quick -d 'train nothing: use the model that comes with recon'
complete -c recon -n '__recon_is upright' -l model -s m -d 'use this model, of `recon train`, and train nothing' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is upright' -l seed -d 'random seed (default 1)' -x
complete -c recon -n '__recon_is upright' -l device -d 'device (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is demo' -l out -s o -d 'folder for the page and its files (default recon-demo)' -r -F
complete -c recon -n '__recon_is demo' -l limit -d 'number of garments (default all 2,000); fewer are faster but less accurate' -x
complete -c recon -n '__recon_is train' -l out -s o -d 'file for the best weights (required)' -r -F
complete -c recon -n '__recon_is train' -l preset -d 'small (default on a CPU), fast (default on a GPU), or paper: the paper\'s network, trained by reconstruction alone (molecules: 600 epochs). For photographs: photo for a GPU, photo-small for a CPU' -x -a 'auto fast paper small photo photo-small'
complete -c recon -n '__recon_is train' -l from -d 'images: start from the weights of this model: a file, or the name of a shipped model' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is train' -l mask -d 'images: mask to a disc, for objects that reach into the corners'
complete -c recon -n '__recon_is train' -l epochs -d 'passes over the data (default: preset\'s)' -x
complete -c recon -n '__recon_is train' -l plain -d 'reconstruction loss only, as in the paper'
complete -c recon -n '__recon_is train' -l held -d 'molecules: validation data (default: one conformer in twelve)' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is train' -l every -d 'also write a checkpoint every N steps (default: after epochs, in a twentieth of the time at most)' -x
complete -c recon -n '__recon_is train' -l resume -d 'continue from MODEL.last; with more --epochs also a finished run'
complete -c recon -n '__recon_is train' -l overwrite -d 'replace MODEL and MODEL.last if they exist'
complete -c recon -n '__recon_is train' -l set -d 'set a parameter of the network\'s recipe; --help all lists them; may be repeated' -x
complete -c recon -n '__recon_is train' -l data -s d -d 'a file, a folder or a known set; images: garments, mnist/train|val|test, mnist12k/train|val|test, fashion/train|val|test, cifar10/train|val|test, idx:FILE, npy:FILE, images:DIR|FILE, amat:FILE; molecules: conformers/train|val|test|all, xyz:FILE|DIR|LIST, sdf:FILE, geom:FILE, flat:DIR; or a path to such a file or folder (required)' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is train' -l rotate -d 'rotate the data first, by a rule: mnist, fashion, all; fisher, haar; or a JSON file' -r -F
complete -c recon -n '__recon_is train' -l rotate-seed -d 'seed of these rotations (default 1)' -x
complete -c recon -n '__recon_is train' -l limit -d 'use a random subset of N images or conformers' -x
complete -c recon -n '__recon_is train' -l seed -d 'random seed (default 1)' -x
complete -c recon -n '__recon_is train' -l skip-bad -d 'skip inputs that cannot be used; they are listed'
complete -c recon -n '__recon_is train' -l size -d 'images: scale to N x N by their shorter side; default: the model\'s size, if any' -x
complete -c recon -n '__recon_is train' -l crop -d 'images: auto: centre each object and scale it to fill the frame; models trained on crops always do' -x -a 'none auto'
complete -c recon -n '__recon_is train' -l picture-limit -d 'images: memory limit for one image, if above 32 times its file size (default 268)' -x
complete -c recon -n '__recon_is train' -l device -d 'device (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is train' -l deterministic -d 'with cuda: bit-identical runs, slower'
complete -c recon -n '__recon_is train' -l strict -d 'exit 1 if the verdict is "do not use"; files are written all the same'
complete -c recon -n '__recon_is train' -l precision -d 'precision of activations and products (default auto: the fastest in training; f32 where a CPU uses a model)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is discover' -l model -s m -d 'what `recon train` wrote (required)' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is discover' -l out -s o -d 'folder for the results (required)' -r -F
complete -c recon -n '__recon_is discover' -l k -s k -d 'neighbours (default 10, molecules 25)' -x
complete -c recon -n '__recon_is discover' -l mean -d 'kind of mean (default auto; for molecules a centre shared by the class)' -x -a 'auto tukey frechet chordal'
complete -c recon -n '__recon_is discover' -l family -d 'images: family whose width Theta predicts (default auto)' -x -a 'auto uniform normal'
complete -c recon -n '__recon_is discover' -l lambda -d 'where the natural pose comes from: the centre of the neighbours, a network that learned it (as in the paper), or the pose density (default auto: whichever is best on held-out inputs)' -x -a 'auto neighbours head density'
complete -c recon -n '__recon_is discover' -l heads -d 'what predicts Lambda and Theta: small networks on the embedding, or separate networks on the inputs, as in the paper (default mlp)' -x -a 'mlp paper'
complete -c recon -n '__recon_is discover' -l head-epochs -d 'with --heads paper: passes over the data (default 60, molecules 30; paper: 600 and 150)' -x
complete -c recon -n '__recon_is discover' -l head-rate -d 'with --heads paper: highest learning rate (default as in the paper: 1.35e-4, molecules 4.83e-4)' -x
complete -c recon -n '__recon_is discover' -l half -d 'store weights as bfloat16: half the size'
complete -c recon -n '__recon_is discover' -l folds -d 'calibrate p-values by N-fold cross-validation, retraining the backbone for each fold; 0: off (default 5 below 500 inputs, else 0)' -x
complete -c recon -n '__recon_is discover' -l keep-embeddings -d 'also write z.npy and g.npy'
complete -c recon -n '__recon_is discover' -l data -s d -d 'a file, a folder or a known set; images: garments, mnist/train|val|test, mnist12k/train|val|test, fashion/train|val|test, cifar10/train|val|test, idx:FILE, npy:FILE, images:DIR|FILE, amat:FILE; molecules: conformers/train|val|test|all, xyz:FILE|DIR|LIST, sdf:FILE, geom:FILE, flat:DIR; or a path to such a file or folder (required)' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is discover' -l rotate -d 'rotate the data first, by a rule: mnist, fashion, all; fisher, haar; or a JSON file' -r -F
complete -c recon -n '__recon_is discover' -l rotate-seed -d 'seed of these rotations (default 1)' -x
complete -c recon -n '__recon_is discover' -l limit -d 'use a random subset of N images or conformers' -x
complete -c recon -n '__recon_is discover' -l seed -d 'random seed (default 1)' -x
complete -c recon -n '__recon_is discover' -l skip-bad -d 'skip inputs that cannot be used; they are listed'
complete -c recon -n '__recon_is discover' -l size -d 'images: scale to N x N by their shorter side; default: the model\'s size, if any' -x
complete -c recon -n '__recon_is discover' -l crop -d 'images: auto: centre each object and scale it to fill the frame; models trained on crops always do' -x -a 'none auto'
complete -c recon -n '__recon_is discover' -l picture-limit -d 'images: memory limit for one image, if above 32 times its file size (default 268)' -x
complete -c recon -n '__recon_is discover' -l device -d 'device (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is discover' -l deterministic -d 'with cuda: bit-identical runs, slower'
complete -c recon -n '__recon_is discover' -l strict -d 'exit 1 if the verdict is "do not use"; files are written all the same'
complete -c recon -n '__recon_is discover' -l precision -d 'precision of activations and products (default auto: the fastest in training; f32 where a CPU uses a model)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is normalize' -l embeddings -d 'z, N x D' -r -F
complete -c recon -n '__recon_is normalize' -l poses -d 'g, one pose per row' -r -F
complete -c recon -n '__recon_is normalize' -l out -s o -d 'folder for the results' -r -F
complete -c recon -n '__recon_is normalize' -l save-index -d 'write all that queries need of the points' -r -F
complete -c recon -n '__recon_is normalize' -l index -d 'answer --query by this; --embeddings are added' -r -F
complete -c recon -n '__recon_is normalize' -l group -d 'group of the poses (default so2): so2, so3, o2, se2, se3, scale, c2 to c360 (cyclic), d2 to d64 (dihedral), torus1 to torus16 (angles), r1 to r3 (shifts) and products of two (so2*scale)' -r -F
complete -c recon -n '__recon_is normalize' -l quaternions -d 'order of quaternions: w first, or w last (SciPy, ROS, Eigen\'s coeffs)' -x -a 'wxyz xyzw'
complete -c recon -n '__recon_is normalize' -l k -s k -d 'with knn: number of neighbours in a class (default 10)' -x
complete -c recon -n '__recon_is normalize' -l query -d 'evaluate these instead of the points themselves' -r -F
complete -c recon -n '__recon_is normalize' -l mean -d 'kind of mean for Gamma (default auto)' -x -a 'auto tukey frechet chordal'
complete -c recon -n '__recon_is normalize' -l tukey-c -d 'fix Tukey\'s c (default: from the data)' -x
complete -c recon -n '__recon_is normalize' -l classes -d 'knn (default), components, or a file with a class of your own for each row' -r -F
complete -c recon -n '__recon_is normalize' -l eps -d 'with components: connect points closer than this' -x
complete -c recon -n '__recon_is normalize' -l metric -d 'similarity of embeddings (default cosine)' -x -a 'cosine dot euclidean'
complete -c recon -n '__recon_is normalize' -l include-self -d 'count a point among its own neighbours'
complete -c recon -n '__recon_is normalize' -l family -d 'distribution to fit (default auto; so3 is fisher)' -x -a 'auto uniform normal vonmises mixture fisher'
complete -c recon -n '__recon_is normalize' -l labels -d 'true classes, used only for the hit rate' -r -F
complete -c recon -n '__recon_is normalize' -l query-labels -d 'the same for the queries' -r -F
complete -c recon -n '__recon_is normalize' -l approx -d 'neighbour search (default auto: exact up to a million rows)' -x -a 'auto exact ivf hnsw'
complete -c recon -n '__recon_is normalize' -l device -d 'device of the exact search (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is report' -l out -s o -d 'the page (default DIR/report.html)' -r -F
complete -c recon -n '__recon_is report' -l data -s d -d 'a file, a folder or a known set; images: garments, mnist/train|val|test, mnist12k/train|val|test, fashion/train|val|test, cifar10/train|val|test, idx:FILE, npy:FILE, images:DIR|FILE, amat:FILE; molecules: conformers/train|val|test|all, xyz:FILE|DIR|LIST, sdf:FILE, geom:FILE, flat:DIR; or a path to such a file or folder' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is report' -l rotate -d 'rotate the data first, by a rule: mnist, fashion, all; fisher, haar; or a JSON file' -r -F
complete -c recon -n '__recon_is report' -l rotate-seed -d 'seed of these rotations (default 1)' -x
complete -c recon -n '__recon_is report' -l limit -d 'use a random subset of N images or conformers' -x
complete -c recon -n '__recon_is report' -l seed -d 'random seed (default 1)' -x
complete -c recon -n '__recon_is report' -l skip-bad -d 'skip inputs that cannot be used; they are listed'
complete -c recon -n '__recon_is report' -l size -d 'images: scale to N x N by their shorter side; default: the model\'s size, if any' -x
complete -c recon -n '__recon_is report' -l crop -d 'images: auto: centre each object and scale it to fill the frame; models trained on crops always do' -x -a 'none auto'
complete -c recon -n '__recon_is report' -l picture-limit -d 'images: memory limit for one image, if above 32 times its file size (default 268)' -x
complete -c recon -n '__recon_is report' -l device -d 'device (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is report' -l deterministic -d 'with cuda: bit-identical runs, slower'
complete -c recon -n '__recon_is report' -l strict -d 'exit 1 if the verdict is "do not use"; files are written all the same'
complete -c recon -n '__recon_is report' -l precision -d 'precision of activations and products (default auto: the fastest in training; f32 where a CPU uses a model)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is canonicalize' -l model -s m -d 'what `recon discover` wrote (required)' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is canonicalize' -l out -s o -d 'output file or folder (required)' -r -F
complete -c recon -n '__recon_is canonicalize' -l poses -d 'file for the poses, or for a table' -r -F
complete -c recon -n '__recon_is canonicalize' -l lambda -d 'where the natural pose comes from (default auto: what discover chose)' -x -a 'auto neighbours head density'
complete -c recon -n '__recon_is canonicalize' -l only-if -d 'rotate only inputs whose pose has a p-value below P' -x
complete -c recon -n '__recon_is canonicalize' -l only-one -d 'rotate only inputs whose verdict is one natural pose'
complete -c recon -n '__recon_is canonicalize' -l all -d 'rotate all inputs, also those without a natural pose'
complete -c recon -n '__recon_is canonicalize' -l actions -d 'table of actions for inputs and clusters: an edited clusters.csv' -r -F
complete -c recon -n '__recon_is canonicalize' -l anchor -d 'this input is upright after rotating it by DEGREES; its cluster follows; may be repeated' -x
complete -c recon -n '__recon_is canonicalize' -l examples -d 'inputs that are upright already; their clusters follow' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is canonicalize' -l prior -d 'clusters are upright as this model, such as general, holds; default: as in the data' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is canonicalize' -l spin -d 'molecules: let this classifier choose the spin if it is free' -r -F
complete -c recon -n '__recon_is canonicalize' -l spin-from -d 'molecules: conformers to evaluate it on, preferably not its training data (default: --data)' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is canonicalize' -l spin-k -d 'molecules: number of nearest conformers to evaluate (default 8)' -x
complete -c recon -n '__recon_is canonicalize' -l interpolation -d 'images: interpolation of the resampling (default bilinear)' -x -a 'bilinear bicubic'
complete -c recon -n '__recon_is canonicalize' -l quality -d 'images: quality of JPEG files, 1 to 100 (default 95)' -x
complete -c recon -n '__recon_is canonicalize' -l fill -d 'images: colour of empty corners in image files (default zero: black, or transparent)' -r -F
complete -c recon -n '__recon_is canonicalize' -l keep -d 'images: keep the size of image files, or enlarge the frame so that nothing is cut off (default size)' -x -a 'size all'
complete -c recon -n '__recon_is canonicalize' -l data -s d -d 'a file, a folder or a known set; images: garments, mnist/train|val|test, mnist12k/train|val|test, fashion/train|val|test, cifar10/train|val|test, idx:FILE, npy:FILE, images:DIR|FILE, amat:FILE; molecules: conformers/train|val|test|all, xyz:FILE|DIR|LIST, sdf:FILE, geom:FILE, flat:DIR; or a path to such a file or folder (required)' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is canonicalize' -l rotate -d 'rotate the data first, by a rule: mnist, fashion, all; fisher, haar; or a JSON file' -r -F
complete -c recon -n '__recon_is canonicalize' -l rotate-seed -d 'seed of these rotations (default 1)' -x
complete -c recon -n '__recon_is canonicalize' -l limit -d 'use a random subset of N images or conformers' -x
complete -c recon -n '__recon_is canonicalize' -l seed -d 'random seed (default 1)' -x
complete -c recon -n '__recon_is canonicalize' -l skip-bad -d 'skip inputs that cannot be used; they are listed'
complete -c recon -n '__recon_is canonicalize' -l size -d 'images: scale to N x N by their shorter side; default: the model\'s size, if any' -x
complete -c recon -n '__recon_is canonicalize' -l crop -d 'images: auto: centre each object and scale it to fill the frame; models trained on crops always do' -x -a 'none auto'
complete -c recon -n '__recon_is canonicalize' -l picture-limit -d 'images: memory limit for one image, if above 32 times its file size (default 268)' -x
complete -c recon -n '__recon_is canonicalize' -l device -d 'device (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is canonicalize' -l deterministic -d 'with cuda: bit-identical runs, slower'
complete -c recon -n '__recon_is canonicalize' -l strict -d 'exit 1 if the verdict is "do not use"; files are written all the same'
complete -c recon -n '__recon_is canonicalize' -l precision -d 'precision of activations and products (default auto: the fastest in training; f32 where a CPU uses a model)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is audit' -l model -s m -d 'what `recon discover` wrote (default: the shipped model that knows most)' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is audit' -l out -s o -d 'table of all inputs, FILE.csv, or a page and a table, FILE.html' -r -F
complete -c recon -n '__recon_is audit' -l fdr -d 'false-discovery rate: the share of the inputs called wrong that may be right (default 0.05)' -x
complete -c recon -n '__recon_is audit' -l data -s d -d 'a file, a folder or a known set; images: garments, mnist/train|val|test, mnist12k/train|val|test, fashion/train|val|test, cifar10/train|val|test, idx:FILE, npy:FILE, images:DIR|FILE, amat:FILE; molecules: conformers/train|val|test|all, xyz:FILE|DIR|LIST, sdf:FILE, geom:FILE, flat:DIR; or a path to such a file or folder (required)' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is audit' -l rotate -d 'rotate the data first, by a rule: mnist, fashion, all; fisher, haar; or a JSON file' -r -F
complete -c recon -n '__recon_is audit' -l rotate-seed -d 'seed of these rotations (default 1)' -x
complete -c recon -n '__recon_is audit' -l limit -d 'use a random subset of N images or conformers' -x
complete -c recon -n '__recon_is audit' -l seed -d 'random seed (default 1)' -x
complete -c recon -n '__recon_is audit' -l skip-bad -d 'skip inputs that cannot be used; they are listed'
complete -c recon -n '__recon_is audit' -l size -d 'images: scale to N x N by their shorter side; default: the model\'s size, if any' -x
complete -c recon -n '__recon_is audit' -l crop -d 'images: auto: centre each object and scale it to fill the frame; models trained on crops always do' -x -a 'none auto'
complete -c recon -n '__recon_is audit' -l picture-limit -d 'images: memory limit for one image, if above 32 times its file size (default 268)' -x
complete -c recon -n '__recon_is audit' -l device -d 'device (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is audit' -l deterministic -d 'with cuda: bit-identical runs, slower'
complete -c recon -n '__recon_is audit' -l strict -d 'exit 1 if the verdict is "do not use"; files are written all the same'
complete -c recon -n '__recon_is audit' -l precision -d 'precision of activations and products (default auto: the fastest in training; f32 where a CPU uses a model)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is score' -l model -s m -d 'what `recon discover` wrote (required)' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is score' -l out -s o -d 'file for the scores, or for a table of them (default: the table on standard output)' -r -F
complete -c recon -n '__recon_is score' -l rows -d 'file for the indices of the scored inputs, from 0' -r -F
complete -c recon -n '__recon_is score' -l false-alarms -d 'fraction of natural inputs allowed to be flagged (default 0.01)' -x
complete -c recon -n '__recon_is score' -l data -s d -d 'a file, a folder or a known set; images: garments, mnist/train|val|test, mnist12k/train|val|test, fashion/train|val|test, cifar10/train|val|test, idx:FILE, npy:FILE, images:DIR|FILE, amat:FILE; molecules: conformers/train|val|test|all, xyz:FILE|DIR|LIST, sdf:FILE, geom:FILE, flat:DIR; or a path to such a file or folder (required)' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is score' -l rotate -d 'rotate the data first, by a rule: mnist, fashion, all; fisher, haar; or a JSON file' -r -F
complete -c recon -n '__recon_is score' -l rotate-seed -d 'seed of these rotations (default 1)' -x
complete -c recon -n '__recon_is score' -l limit -d 'use a random subset of N images or conformers' -x
complete -c recon -n '__recon_is score' -l seed -d 'random seed (default 1)' -x
complete -c recon -n '__recon_is score' -l skip-bad -d 'skip inputs that cannot be used; they are listed'
complete -c recon -n '__recon_is score' -l size -d 'images: scale to N x N by their shorter side; default: the model\'s size, if any' -x
complete -c recon -n '__recon_is score' -l crop -d 'images: auto: centre each object and scale it to fill the frame; models trained on crops always do' -x -a 'none auto'
complete -c recon -n '__recon_is score' -l picture-limit -d 'images: memory limit for one image, if above 32 times its file size (default 268)' -x
complete -c recon -n '__recon_is score' -l device -d 'device (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is score' -l deterministic -d 'with cuda: bit-identical runs, slower'
complete -c recon -n '__recon_is score' -l strict -d 'exit 1 if the verdict is "do not use"; files are written all the same'
complete -c recon -n '__recon_is score' -l precision -d 'precision of activations and products (default auto: the fastest in training; f32 where a CPU uses a model)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is distribution' -l model -s m -d 'what `recon discover` wrote (required)' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is distribution' -l index -d 'index of the image or conformer, from 0 (default 0)' -x
complete -c recon -n '__recon_is distribution' -l svg -d 'also plot it' -r -F
complete -c recon -n '__recon_is distribution' -l data -s d -d 'a file, a folder or a known set; images: garments, mnist/train|val|test, mnist12k/train|val|test, fashion/train|val|test, cifar10/train|val|test, idx:FILE, npy:FILE, images:DIR|FILE, amat:FILE; molecules: conformers/train|val|test|all, xyz:FILE|DIR|LIST, sdf:FILE, geom:FILE, flat:DIR; or a path to such a file or folder (required)' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is distribution' -l rotate -d 'rotate the data first, by a rule: mnist, fashion, all; fisher, haar; or a JSON file' -r -F
complete -c recon -n '__recon_is distribution' -l rotate-seed -d 'seed of these rotations (default 1)' -x
complete -c recon -n '__recon_is distribution' -l limit -d 'use a random subset of N images or conformers' -x
complete -c recon -n '__recon_is distribution' -l seed -d 'random seed (default 1)' -x
complete -c recon -n '__recon_is distribution' -l skip-bad -d 'skip inputs that cannot be used; they are listed'
complete -c recon -n '__recon_is distribution' -l size -d 'images: scale to N x N by their shorter side; default: the model\'s size, if any' -x
complete -c recon -n '__recon_is distribution' -l crop -d 'images: auto: centre each object and scale it to fill the frame; models trained on crops always do' -x -a 'none auto'
complete -c recon -n '__recon_is distribution' -l picture-limit -d 'images: memory limit for one image, if above 32 times its file size (default 268)' -x
complete -c recon -n '__recon_is distribution' -l device -d 'device (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is distribution' -l deterministic -d 'with cuda: bit-identical runs, slower'
complete -c recon -n '__recon_is distribution' -l strict -d 'exit 1 if the verdict is "do not use"; files are written all the same'
complete -c recon -n '__recon_is distribution' -l precision -d 'precision of activations and products (default auto: the fastest in training; f32 where a CPU uses a model)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is export' -l model -s m -d 'what `recon discover` or `recon classifier train` wrote (required)' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is export' -l out -s o -d 'output file (required)' -r -F
complete -c recon -n '__recon_is export' -l what -d 'what the file computes for each image (default pose)' -x -a 'pose canonicalize score classifier'
complete -c recon -n '__recon_is export' -l lambda -d 'where the natural pose comes from (default auto: what discover chose)' -x -a 'auto neighbours head density'
complete -c recon -n '__recon_is export' -l licence -d 'licence of the model, recorded in the file (default: none)' -r -F
complete -c recon -n '__recon_is check' -l svg -d 'images: also plot the errors' -r -F
complete -c recon -n '__recon_is check' -l data -s d -d 'a file, a folder or a known set; images: garments, mnist/train|val|test, mnist12k/train|val|test, fashion/train|val|test, cifar10/train|val|test, idx:FILE, npy:FILE, images:DIR|FILE, amat:FILE; molecules: conformers/train|val|test|all, xyz:FILE|DIR|LIST, sdf:FILE, geom:FILE, flat:DIR; or a path to such a file or folder' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is check' -l rotate -d 'rotate the data first, by a rule: mnist, fashion, all; fisher, haar; or a JSON file' -r -F
complete -c recon -n '__recon_is check' -l rotate-seed -d 'seed of these rotations (default 1)' -x
complete -c recon -n '__recon_is check' -l limit -d 'use a random subset of N images or conformers' -x
complete -c recon -n '__recon_is check' -l seed -d 'random seed (default 1)' -x
complete -c recon -n '__recon_is check' -l skip-bad -d 'skip inputs that cannot be used; they are listed'
complete -c recon -n '__recon_is check' -l size -d 'images: scale to N x N by their shorter side; default: the model\'s size, if any' -x
complete -c recon -n '__recon_is check' -l crop -d 'images: auto: centre each object and scale it to fill the frame; models trained on crops always do' -x -a 'none auto'
complete -c recon -n '__recon_is check' -l picture-limit -d 'images: memory limit for one image, if above 32 times its file size (default 268)' -x
complete -c recon -n '__recon_is check' -l device -d 'device (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is check' -l deterministic -d 'with cuda: bit-identical runs, slower'
complete -c recon -n '__recon_is check' -l strict -d 'exit 1 if the verdict is "do not use"; files are written all the same'
complete -c recon -n '__recon_is check' -l precision -d 'precision of activations and products (default auto: the fastest in training; f32 where a CPU uses a model)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is classifier' -l out -s o -d 'train: file for the best weights' -r -F
complete -c recon -n '__recon_is classifier' -l model -s m -d 'eval: what train wrote' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is classifier' -l net -d 'images: network (default small)' -x -a 'small resnet18'
complete -c recon -n '__recon_is classifier' -l width -d 'channels of resnet18\'s first stage (default 64), of the molecule network (default 128)' -x
complete -c recon -n '__recon_is classifier' -l shift -d 'images: shift randomly by up to P pixels (default 0)' -x
complete -c recon -n '__recon_is classifier' -l flip -d 'images: flip horizontally with probability 1/2'
complete -c recon -n '__recon_is classifier' -l epochs -d 'passes over the data (default 3, resnet18 15, molecules 50)' -x
complete -c recon -n '__recon_is classifier' -l batch -d 'batch size (default 64, resnet18 and molecules 128)' -x
complete -c recon -n '__recon_is classifier' -l rate -d 'highest learning rate (default 0.002, resnet18 and molecules 0.001)' -x
complete -c recon -n '__recon_is classifier' -l decay -d 'images: weight decay, times the learning rate; 0: none (default 0.01)' -x
complete -c recon -n '__recon_is classifier' -l held -d 'molecules: train: validation data (default: one conformer in twelve of each molecule)' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is classifier' -l every -d 'also write a checkpoint every N steps (default: after epochs, in a twentieth of the time at most)' -x
complete -c recon -n '__recon_is classifier' -l weights -d 'precision of the weights in MODEL (default f32)' -x -a 'f32 bf16'
complete -c recon -n '__recon_is classifier' -l resume -d 'continue from MODEL.last; with more --epochs also a finished run'
complete -c recon -n '__recon_is classifier' -l overwrite -d 'replace MODEL and MODEL.last if they exist'
complete -c recon -n '__recon_is classifier' -l data -s d -d 'a file, a folder or a known set; images: garments, mnist/train|val|test, mnist12k/train|val|test, fashion/train|val|test, cifar10/train|val|test, idx:FILE, npy:FILE, images:DIR|FILE, amat:FILE; molecules: conformers/train|val|test|all, xyz:FILE|DIR|LIST, sdf:FILE, geom:FILE, flat:DIR; or a path to such a file or folder (required)' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is classifier' -l rotate -d 'rotate the data first, by a rule: mnist, fashion, all; fisher, haar; or a JSON file' -r -F
complete -c recon -n '__recon_is classifier' -l rotate-seed -d 'seed of these rotations (default 1)' -x
complete -c recon -n '__recon_is classifier' -l limit -d 'use a random subset of N images or conformers' -x
complete -c recon -n '__recon_is classifier' -l seed -d 'random seed (default 1)' -x
complete -c recon -n '__recon_is classifier' -l skip-bad -d 'skip inputs that cannot be used; they are listed'
complete -c recon -n '__recon_is classifier' -l size -d 'images: scale to N x N by their shorter side; default: the model\'s size, if any' -x
complete -c recon -n '__recon_is classifier' -l crop -d 'images: auto: centre each object and scale it to fill the frame; models trained on crops always do' -x -a 'none auto'
complete -c recon -n '__recon_is classifier' -l picture-limit -d 'images: memory limit for one image, if above 32 times its file size (default 268)' -x
complete -c recon -n '__recon_is classifier' -l device -d 'device (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is classifier' -l deterministic -d 'with cuda: bit-identical runs, slower'
complete -c recon -n '__recon_is classifier' -l strict -d 'exit 1 if the verdict is "do not use"; files are written all the same'
complete -c recon -n '__recon_is classifier' -l precision -d 'precision of activations and products (default auto: the fastest in training; f32 where a CPU uses a model)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is classifier' -f -a 'train eval'
complete -c recon -n '__recon_is reproduce mnist' -l quick -d 'use part of the data: minutes on two cores'
complete -c recon -n '__recon_is reproduce mnist' -l model -s m -d 'what `recon discover` wrote, one of each kind of backbone (default: the shipped models)' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is reproduce mnist' -l classifier -d 'what `recon classifier train` wrote (default: the shipped one)' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is reproduce mnist' -l figures -d 'write the figures to DIR as SVG, and a page of all runs, DIR/report.html' -r -F
complete -c recon -n '__recon_is reproduce mnist' -l images -d 'number of test images (default all)' -x
complete -c recon -n '__recon_is reproduce mnist' -l limit -d 'number of training images, drawn at random (default all)' -x
complete -c recon -n '__recon_is reproduce mnist' -l train -d 'train the models instead of using shipped ones'
complete -c recon -n '__recon_is reproduce mnist' -l resume -d 'with --train: continue an interrupted run'
complete -c recon -n '__recon_is reproduce mnist' -l overwrite -d 'with --train: replace models in DIR'
complete -c recon -n '__recon_is reproduce mnist' -l out -s o -d 'folder for the models, and for pictures that are drawn' -r -F
complete -c recon -n '__recon_is reproduce mnist' -l epochs -d 'training: passes over the data (default: the shipped model\'s, the preset\'s)' -x
complete -c recon -n '__recon_is reproduce mnist' -l seed -d 'training: seed of the first model (default 1)' -x
complete -c recon -n '__recon_is reproduce mnist' -l seeds -d 'training: number of models, for mean and spread (default 1)' -x
complete -c recon -n '__recon_is reproduce mnist' -l preset -d 'with --train: which model (default fast)' -x -a 'fast paper small'
complete -c recon -n '__recon_is reproduce mnist' -l backbone -d 'with --train: the kind of backbone to train (default all)' -x -a 'all plain terms density'
complete -c recon -n '__recon_is reproduce mnist' -l embeddings -d 'z.npy and g.npy of the training images, as `recon discover` keeps them' -r -F
complete -c recon -n '__recon_is reproduce mnist' -l resample -d 'control: resample every image twice, so that sharpness does not reveal which were rotated; with --train also the training images'
complete -c recon -n '__recon_is reproduce mnist' -l baselines -d 'also measure other methods: equivariant classifiers, EquiAdapt, alignment, averaging'
complete -c recon -n '__recon_is reproduce mnist' -l rival -d 'with --baselines: measure only this network, without a backbone (with --train: train it first; default all)' -x -a 'all augmented escnn equiadapt partial_gcnn sgm'
complete -c recon -n '__recon_is reproduce mnist' -l device -d 'device (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is reproduce mnist' -l precision -d 'precision of activations and products (default auto: the fastest in training; f32 where a CPU uses a model)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is reproduce mnist' -l deterministic -d 'with cuda: bit-identical runs, slower'
complete -c recon -n '__recon_is reproduce mnist12k' -l quick -d 'use part of the data: minutes on two cores'
complete -c recon -n '__recon_is reproduce mnist12k' -l model -s m -d 'what `recon discover` wrote, one of each kind of backbone (default: the shipped models)' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is reproduce mnist12k' -l classifier -d 'what `recon classifier train` wrote (default: the shipped one)' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is reproduce mnist12k' -l figures -d 'write the figures to DIR as SVG, and a page of all runs, DIR/report.html' -r -F
complete -c recon -n '__recon_is reproduce mnist12k' -l images -d 'number of test images (default all)' -x
complete -c recon -n '__recon_is reproduce mnist12k' -l limit -d 'number of training images, drawn at random (default all)' -x
complete -c recon -n '__recon_is reproduce mnist12k' -l train -d 'train the models instead of using shipped ones'
complete -c recon -n '__recon_is reproduce mnist12k' -l resume -d 'with --train: continue an interrupted run'
complete -c recon -n '__recon_is reproduce mnist12k' -l overwrite -d 'with --train: replace models in DIR'
complete -c recon -n '__recon_is reproduce mnist12k' -l out -s o -d 'folder for the models, and for pictures that are drawn' -r -F
complete -c recon -n '__recon_is reproduce mnist12k' -l epochs -d 'training: passes over the data (default: the shipped model\'s, the preset\'s)' -x
complete -c recon -n '__recon_is reproduce mnist12k' -l seed -d 'training: seed of the first model (default 1)' -x
complete -c recon -n '__recon_is reproduce mnist12k' -l seeds -d 'training: number of models, for mean and spread (default 1)' -x
complete -c recon -n '__recon_is reproduce mnist12k' -l preset -d 'with --train: which model (default fast)' -x -a 'fast paper small'
complete -c recon -n '__recon_is reproduce mnist12k' -l backbone -d 'with --train: the kind of backbone to train (default all)' -x -a 'all plain terms density'
complete -c recon -n '__recon_is reproduce mnist12k' -l embeddings -d 'z.npy and g.npy of the training images, as `recon discover` keeps them' -r -F
complete -c recon -n '__recon_is reproduce mnist12k' -l resample -d 'control: resample every image twice, so that sharpness does not reveal which were rotated; with --train also the training images'
complete -c recon -n '__recon_is reproduce mnist12k' -l baselines -d 'also measure other methods: equivariant classifiers, EquiAdapt, alignment, averaging'
complete -c recon -n '__recon_is reproduce mnist12k' -l rival -d 'with --baselines: measure only this network, without a backbone (with --train: train it first; default all)' -x -a 'all augmented escnn equiadapt partial_gcnn sgm'
complete -c recon -n '__recon_is reproduce mnist12k' -l device -d 'device (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is reproduce mnist12k' -l precision -d 'precision of activations and products (default auto: the fastest in training; f32 where a CPU uses a model)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is reproduce mnist12k' -l deterministic -d 'with cuda: bit-identical runs, slower'
complete -c recon -n '__recon_is reproduce fashion' -l quick -d 'use part of the data: minutes on two cores'
complete -c recon -n '__recon_is reproduce fashion' -l model -s m -d 'what `recon discover` wrote, one of each kind of backbone (default: the shipped models)' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is reproduce fashion' -l classifier -d 'what `recon classifier train` wrote (default: the shipped one)' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is reproduce fashion' -l figures -d 'write the figures to DIR as SVG, and a page of all runs, DIR/report.html' -r -F
complete -c recon -n '__recon_is reproduce fashion' -l images -d 'number of test images (default all)' -x
complete -c recon -n '__recon_is reproduce fashion' -l limit -d 'number of training images, drawn at random (default all)' -x
complete -c recon -n '__recon_is reproduce fashion' -l train -d 'train the models instead of using shipped ones'
complete -c recon -n '__recon_is reproduce fashion' -l resume -d 'with --train: continue an interrupted run'
complete -c recon -n '__recon_is reproduce fashion' -l overwrite -d 'with --train: replace models in DIR'
complete -c recon -n '__recon_is reproduce fashion' -l out -s o -d 'folder for the models, and for pictures that are drawn' -r -F
complete -c recon -n '__recon_is reproduce fashion' -l epochs -d 'training: passes over the data (default: the shipped model\'s, the preset\'s)' -x
complete -c recon -n '__recon_is reproduce fashion' -l seed -d 'training: seed of the first model (default 1)' -x
complete -c recon -n '__recon_is reproduce fashion' -l seeds -d 'training: number of models, for mean and spread (default 1)' -x
complete -c recon -n '__recon_is reproduce fashion' -l preset -d 'with --train: which model (default fast)' -x -a 'fast paper small'
complete -c recon -n '__recon_is reproduce fashion' -l backbone -d 'with --train: the kind of backbone to train (default all)' -x -a 'all plain terms density'
complete -c recon -n '__recon_is reproduce fashion' -l embeddings -d 'z.npy and g.npy of the training images, as `recon discover` keeps them' -r -F
complete -c recon -n '__recon_is reproduce fashion' -l resample -d 'control: resample every image twice, so that sharpness does not reveal which were rotated; with --train also the training images'
complete -c recon -n '__recon_is reproduce fashion' -l baselines -d 'also measure other methods: equivariant classifiers, EquiAdapt, alignment, averaging'
complete -c recon -n '__recon_is reproduce fashion' -l rival -d 'with --baselines: measure only this network, without a backbone (with --train: train it first; default all)' -x -a 'all augmented escnn equiadapt partial_gcnn sgm'
complete -c recon -n '__recon_is reproduce fashion' -l device -d 'device (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is reproduce fashion' -l precision -d 'precision of activations and products (default auto: the fastest in training; f32 where a CPU uses a model)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is reproduce fashion' -l deterministic -d 'with cuda: bit-identical runs, slower'
complete -c recon -n '__recon_is reproduce images' -l quick -d 'use part of the data: minutes on two cores'
complete -c recon -n '__recon_is reproduce images' -l model -s m -d 'what `recon discover` wrote, one of each kind of backbone (default: the shipped models)' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is reproduce images' -l classifier -d 'what `recon classifier train` wrote (default: the shipped one)' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is reproduce images' -l figures -d 'write the figures to DIR as SVG, and a page of all runs, DIR/report.html' -r -F
complete -c recon -n '__recon_is reproduce images' -l images -d 'number of test images (default all)' -x
complete -c recon -n '__recon_is reproduce images' -l data -s d -d 'labelled test images (required)' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is reproduce images' -l rotate -d 'rule of the rotations: mnist, fashion, all or a JSON file (required)' -r -F
complete -c recon -n '__recon_is reproduce images' -l resample -d 'control: resample every image twice, so that sharpness does not reveal which were rotated'
complete -c recon -n '__recon_is reproduce images' -l baselines -d 'also measure other methods: alignment, averaging'
complete -c recon -n '__recon_is reproduce images' -l device -d 'device (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is reproduce images' -l precision -d 'precision of activations and products (default auto: the fastest in training; f32 where a CPU uses a model)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is reproduce images' -l deterministic -d 'with cuda: bit-identical runs, slower'
complete -c recon -n '__recon_is reproduce molecules' -l quick -d 'use part of the data: minutes on two cores'
complete -c recon -n '__recon_is reproduce molecules' -l model -s m -d 'what `recon discover` wrote (default: the shipped model)' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is reproduce molecules' -l classifier -d 'what `recon classifier train` wrote (default: the shipped one)' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is reproduce molecules' -l figures -d 'write the figures to DIR as SVG, and a page of all runs, DIR/report.html' -r -F
complete -c recon -n '__recon_is reproduce molecules' -l train -d 'train the models instead of using shipped ones'
complete -c recon -n '__recon_is reproduce molecules' -l resume -d 'with --train: continue an interrupted run'
complete -c recon -n '__recon_is reproduce molecules' -l overwrite -d 'with --train: replace models in DIR'
complete -c recon -n '__recon_is reproduce molecules' -l out -s o -d 'folder for the models, and for pictures that are drawn' -r -F
complete -c recon -n '__recon_is reproduce molecules' -l epochs -d 'training: passes over the data (default: the shipped model\'s, the preset\'s)' -x
complete -c recon -n '__recon_is reproduce molecules' -l seed -d 'training: seed of the first model (default 1)' -x
complete -c recon -n '__recon_is reproduce molecules' -l seeds -d 'training: number of models, for mean and spread (default 1)' -x
complete -c recon -n '__recon_is reproduce molecules' -l data -s d -d 'geom:FILE or flat:DIR in place of the shipped conformers' -x -a '(__recon_specs)'
complete -c recon -n '__recon_is reproduce molecules' -l preset -d 'with --train: which model (default fast)' -x -a 'fast paper small'
complete -c recon -n '__recon_is reproduce molecules' -l baselines -d 'also measure other methods: EquiAdapt, SEGNN, alignment'
complete -c recon -n '__recon_is reproduce molecules' -l rival -d 'with --baselines: measure only this network (with --train: train it first; default all)' -x -a 'all equiadapt segnn'
complete -c recon -n '__recon_is reproduce molecules' -l device -d 'device (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is reproduce molecules' -l precision -d 'precision of activations and products (default auto: the fastest in training; f32 where a CPU uses a model)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is reproduce molecules' -l deterministic -d 'with cuda: bit-identical runs, slower'
complete -c recon -n '__recon_is reproduce estimators' -l figures -d 'write the figures to DIR as SVG, and a page of all runs, DIR/report.html' -r -F
complete -c recon -n '__recon_is reproduce estimators' -l seed -d 'seed of the samples (default 1)' -x
complete -c recon -n '__recon_is reproduce estimators' -l device -d 'device (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is reproduce estimators' -l precision -d 'precision of activations and products (default auto: the fastest in training; f32 where a CPU uses a model)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is reproduce estimators' -l deterministic -d 'with cuda: bit-identical runs, slower'
complete -c recon -n '__recon_is reproduce groups' -l quick -d 'use part of the data: minutes on two cores'
complete -c recon -n '__recon_is reproduce groups' -l seed -d 'seed of the samples (default 1)' -x
complete -c recon -n '__recon_is reproduce groups' -l device -d 'device (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is reproduce groups' -l precision -d 'precision of activations and products (default auto: the fastest in training; f32 where a CPU uses a model)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is reproduce groups' -l deterministic -d 'with cuda: bit-identical runs, slower'
complete -c recon -n '__recon_is reproduce letters' -l quick -d 'use part of the data: minutes on two cores'
complete -c recon -n '__recon_is reproduce letters' -l fonts -d 'folder of fonts (default /usr/share/fonts)' -r -F
complete -c recon -n '__recon_is reproduce letters' -l size -d 'side of the model\'s inputs, in pixels' -x
complete -c recon -n '__recon_is reproduce letters' -l out -s o -d 'folder for the models, and for pictures that are drawn' -r -F
complete -c recon -n '__recon_is reproduce letters' -l epochs -d 'training: passes over the data (default: the shipped model\'s, the preset\'s)' -x
complete -c recon -n '__recon_is reproduce letters' -l seed -d 'training: seed of the first model (default 1)' -x
complete -c recon -n '__recon_is reproduce letters' -l seeds -d 'training: number of models, for mean and spread (default 1)' -x
complete -c recon -n '__recon_is reproduce letters' -l model -s m -d 'what `recon train` wrote, instead of training' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is reproduce letters' -l laws -d 'kinds, distributions, counts and sizes, as JSON' -r -F
complete -c recon -n '__recon_is reproduce letters' -l draws -d 'test images per letter and font, rotated as in training (default 2)' -x
complete -c recon -n '__recon_is reproduce letters' -l crop -d 'as for `recon train`' -x -a 'none auto'
complete -c recon -n '__recon_is reproduce letters' -l preset -d 'which model (default small)' -x -a 'fast paper small'
complete -c recon -n '__recon_is reproduce letters' -l device -d 'device (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is reproduce letters' -l precision -d 'precision of activations and products (default auto: the fastest in training; f32 where a CPU uses a model)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is reproduce letters' -l deterministic -d 'with cuda: bit-identical runs, slower'
complete -c recon -n '__recon_is reproduce cifar10' -l quick -d 'use part of the data: minutes on two cores'
complete -c recon -n '__recon_is reproduce cifar10' -l model -s m -d 'what `recon discover` wrote (default: the shipped model)' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is reproduce cifar10' -l classifier -d 'what `recon classifier train` wrote (default: the shipped one)' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is reproduce cifar10' -l images -d 'number of test images (default all)' -x
complete -c recon -n '__recon_is reproduce cifar10' -l limit -d 'number of training images, drawn at random (default all)' -x
complete -c recon -n '__recon_is reproduce cifar10' -l train -d 'train the models instead of using shipped ones'
complete -c recon -n '__recon_is reproduce cifar10' -l resume -d 'with --train: continue an interrupted run'
complete -c recon -n '__recon_is reproduce cifar10' -l overwrite -d 'with --train: replace models in DIR'
complete -c recon -n '__recon_is reproduce cifar10' -l out -s o -d 'folder for the models, and for pictures that are drawn' -r -F
complete -c recon -n '__recon_is reproduce cifar10' -l epochs -d 'training: passes over the data (default: the shipped model\'s, the preset\'s)' -x
complete -c recon -n '__recon_is reproduce cifar10' -l seed -d 'training: seed of the first model (default 1)' -x
complete -c recon -n '__recon_is reproduce cifar10' -l augmented -d 'a classifier trained with rotations (with --train it is trained)' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is reproduce cifar10' -l preset -d 'with --train: which model (default photo-small, or photo with cuda)' -x -a 'photo photo-small'
complete -c recon -n '__recon_is reproduce cifar10' -l device -d 'device (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is reproduce cifar10' -l precision -d 'precision of activations and products (default auto: the fastest in training; f32 where a CPU uses a model)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is reproduce cifar10' -l deterministic -d 'with cuda: bit-identical runs, slower'
complete -c recon -n '__recon_is reproduce words' -l quick -d 'use part of the data: minutes on two cores'
complete -c recon -n '__recon_is reproduce words' -l model -s m -d 'what `recon discover` wrote (default: the shipped model)' -r -F -a '(recon models 2>/dev/null | string match -rg "^([a-z0-9-]+) .*[0-9]  ")'
complete -c recon -n '__recon_is reproduce words' -l fonts -d 'folder of fonts (default /usr/share/fonts)' -r -F
complete -c recon -n '__recon_is reproduce words' -l images -d 'number of test images (default all)' -x
complete -c recon -n '__recon_is reproduce words' -l limit -d 'number of training images, drawn at random (default all)' -x
complete -c recon -n '__recon_is reproduce words' -l size -d 'side of the model\'s inputs, in pixels' -x
complete -c recon -n '__recon_is reproduce words' -l train -d 'train the models instead of using shipped ones'
complete -c recon -n '__recon_is reproduce words' -l resume -d 'with --train: continue an interrupted run'
complete -c recon -n '__recon_is reproduce words' -l overwrite -d 'with --train: replace models in DIR'
complete -c recon -n '__recon_is reproduce words' -l epochs -d 'training: passes over the data (default: the shipped model\'s, the preset\'s)' -x
complete -c recon -n '__recon_is reproduce words' -l seed -d 'training: seed of the first model (default 1)' -x
complete -c recon -n '__recon_is reproduce words' -l out -s o -d 'folder for the pictures, and with --train for the model' -r -F
complete -c recon -n '__recon_is reproduce words' -l preset -d 'with --train: which model (default photo)' -x -a 'fast paper small photo photo-small'
complete -c recon -n '__recon_is reproduce words' -l reader -d 'which readers (default all)' -x -a 'all ppocr tesseract'
complete -c recon -n '__recon_is reproduce words' -l device -d 'device (default cpu)' -x -a 'cpu cuda ref'
complete -c recon -n '__recon_is reproduce words' -l precision -d 'precision of activations and products (default auto: the fastest in training; f32 where a CPU uses a model)' -x -a 'auto f32 tf32 bf16'
complete -c recon -n '__recon_is reproduce words' -l deterministic -d 'with cuda: bit-identical runs, slower'
complete -c recon -n '__recon_is info' -l skip-bad -d 'skip inputs that cannot be used, and list them'
complete -c recon -n '__recon_is info' -l crop -d 'images: auto: centre each object and scale it to fill the frame' -x -a 'none auto'
complete -c recon -n '__recon_is info' -l picture-limit -d 'images: memory limit for one image, if above 32 times its file size (default 268)' -x
complete -c recon -n '__recon_is info' -l features -d 'list the optional libraries that are there, and what is lost without one'
complete -c recon -n 'not __fish_use_subcommand' -l threads -d 'threads to use (default: all)' -x
complete -c recon -n 'not __fish_use_subcommand' -l json -d 'print one JSON object instead of text'
complete -c recon -n 'not __fish_use_subcommand' -l quiet -s q -d 'print errors only'
