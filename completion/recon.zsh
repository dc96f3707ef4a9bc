#compdef recon
# Completion of recon for zsh. Made by tools/make-completion: `make docs`.
_recon_specs() {
    compset -P "*:" && { _files; return }
    compadd -S "" -- garments mnist mnist/train mnist/val mnist/test mnist12k mnist12k/train mnist12k/val mnist12k/test fashion fashion/train fashion/val fashion/test cifar10 cifar10/train cifar10/val cifar10/test idx: npy: images: amat: conformers conformers/train conformers/val conformers/test conformers/all xyz: sdf: geom: flat:
}

_recon_models() {
    compadd -- ${(f)"$(recon models 2>/dev/null | awk 'NR > 1 { print $1 }')"}
    _files
}

_recon() {
    if (( CURRENT == 2 )); then
        local -a all=(
            'upright:rotate pictures or molecules upright where that is clear'
            'demo:a short tour on shipped data and models, written as an HTML page'
            'train:train a backbone on images or molecules, without labels'
            'discover:find the natural poses of images or molecules, and learn them'
            'normalize:pose distributions from embeddings and poses of any backbone'
            'report:show the results of discover or normalize as an HTML page'
            'canonicalize:rotate images or molecules into their natural pose'
            'audit:list the inputs of an aligned set that are not aligned'
            'score:score how unusual the pose of each image or molecule is'
            'distribution:show the pose distribution of one image or molecule'
            'export:write a model as an ONNX file, for other runtimes'
            'check:measure how equivariant a model is'
            'classifier:train or measure a classifier of images or molecules'
            'reproduce:one of several experiments'
            'info:describe an array, a model, a result folder or a data set'
            'models:list the models that come with recon'
        )
        _describe command all
        return
    fi
    shift words; (( CURRENT-- ))
    local command=$words[1]
    if [[ $command == reproduce ]]; then
        (( CURRENT == 2 )) && { compadd mnist mnist12k fashion images molecules estimators groups letters cifar10 words ; return }
        shift words; (( CURRENT-- ))
        command+=" $words[1]"
    fi
    case $command in
    upright) _arguments \
        {-o,--out}'[the result (default\: PATH-upright)]:PATH:_files' \
        '--quick[train nothing\: use the model that comes with recon]' \
        {-m,--model}'[use this model, of `recon train`, and train nothing]:MODEL:_recon_models' \
        '--seed[random seed (default 1)]:S: ' \
        '--device[device (default cpu)]:choice:(cpu cuda ref)' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' \
        '1: :_files' ;;
    demo) _arguments \
        {-o,--out}'[folder for the page and its files (default recon-demo)]:DIR:_files' \
        '--limit[number of garments (default all 2,000); fewer are faster but less accurate]:N: ' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' ;;
    train) _arguments \
        {-o,--out}'[file for the best weights (required)]:MODEL:_files' \
        '--preset[small (default on a CPU), fast (default on a GPU), or paper\: the paper'\''s network, trained by reconstruction alone (molecules\: 600 epochs). For photographs\: photo for a GPU, photo-small for a CPU]:choice:(auto fast paper small photo photo-small)' \
        '--from[images\: start from the weights of this model\: a file, or the name of a shipped model]:MODEL:_recon_models' \
        '--mask[images\: mask to a disc, for objects that reach into the corners]' \
        '--epochs[passes over the data (default\: preset'\''s)]:N: ' \
        '--plain[reconstruction loss only, as in the paper]' \
        '--held[molecules\: validation data (default\: one conformer in twelve)]:SPEC:_recon_specs' \
        '--every[also write a checkpoint every N steps (default\: after epochs, in a twentieth of the time at most)]:N: ' \
        '--resume[continue from MODEL.last; with more --epochs also a finished run]' \
        '--overwrite[replace MODEL and MODEL.last if they exist]' \
        '--set[set a parameter of the network'\''s recipe; --help all lists them; may be repeated]:NAME=VALUE: ' \
        {-d,--data}'[a file, a folder or a known set; images\: garments, mnist/train|val|test, mnist12k/train|val|test, fashion/train|val|test, cifar10/train|val|test, idx\:FILE, npy\:FILE, images\:DIR|FILE, amat\:FILE; molecules\: conformers/train|val|test|all, xyz\:FILE|DIR|LIST, sdf\:FILE, geom\:FILE, flat\:DIR; or a path to such a file or folder (required)]:SPEC:_recon_specs' \
        '--rotate[rotate the data first, by a rule\: mnist, fashion, all; fisher, haar; or a JSON file]:RULE:_files' \
        '--rotate-seed[seed of these rotations (default 1)]:S: ' \
        '--limit[use a random subset of N images or conformers]:N: ' \
        '--seed[random seed (default 1)]:S: ' \
        '--skip-bad[skip inputs that cannot be used; they are listed]' \
        '--size[images\: scale to N x N by their shorter side; default\: the model'\''s size, if any]:N: ' \
        '--crop[images\: auto\: centre each object and scale it to fill the frame; models trained on crops always do]:choice:(none auto)' \
        '--picture-limit[images\: memory limit for one image, if above 32 times its file size (default 268)]:MB: ' \
        '--device[device (default cpu)]:choice:(cpu cuda ref)' \
        '--deterministic[with cuda\: bit-identical runs, slower]' \
        '--strict[exit 1 if the verdict is "do not use"; files are written all the same]' \
        '--precision[precision of activations and products (default auto\: the fastest in training; f32 where a CPU uses a model)]:choice:(auto f32 tf32 bf16)' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' \
        '1: :_files' ;;
    discover) _arguments \
        {-m,--model}'[what `recon train` wrote (required)]:MODEL:_recon_models' \
        {-o,--out}'[folder for the results (required)]:DIR:_files' \
        {-k,--k}'[neighbours (default 10, molecules 25)]:N: ' \
        '--mean[kind of mean (default auto; for molecules a centre shared by the class)]:choice:(auto tukey frechet chordal)' \
        '--family[images\: family whose width Theta predicts (default auto)]:choice:(auto uniform normal)' \
        '--lambda[where the natural pose comes from\: the centre of the neighbours, a network that learned it (as in the paper), or the pose density (default auto\: whichever is best on held-out inputs)]:choice:(auto neighbours head density)' \
        '--heads[what predicts Lambda and Theta\: small networks on the embedding, or separate networks on the inputs, as in the paper (default mlp)]:choice:(mlp paper)' \
        '--head-epochs[with --heads paper\: passes over the data (default 60, molecules 30; paper\: 600 and 150)]:N: ' \
        '--head-rate[with --heads paper\: highest learning rate (default as in the paper\: 1.35e-4, molecules 4.83e-4)]:R: ' \
        '--half[store weights as bfloat16\: half the size]' \
        '--folds[calibrate p-values by N-fold cross-validation, retraining the backbone for each fold; 0\: off (default 5 below 500 inputs, else 0)]:N: ' \
        '--keep-embeddings[also write z.npy and g.npy]' \
        {-d,--data}'[a file, a folder or a known set; images\: garments, mnist/train|val|test, mnist12k/train|val|test, fashion/train|val|test, cifar10/train|val|test, idx\:FILE, npy\:FILE, images\:DIR|FILE, amat\:FILE; molecules\: conformers/train|val|test|all, xyz\:FILE|DIR|LIST, sdf\:FILE, geom\:FILE, flat\:DIR; or a path to such a file or folder (required)]:SPEC:_recon_specs' \
        '--rotate[rotate the data first, by a rule\: mnist, fashion, all; fisher, haar; or a JSON file]:RULE:_files' \
        '--rotate-seed[seed of these rotations (default 1)]:S: ' \
        '--limit[use a random subset of N images or conformers]:N: ' \
        '--seed[random seed (default 1)]:S: ' \
        '--skip-bad[skip inputs that cannot be used; they are listed]' \
        '--size[images\: scale to N x N by their shorter side; default\: the model'\''s size, if any]:N: ' \
        '--crop[images\: auto\: centre each object and scale it to fill the frame; models trained on crops always do]:choice:(none auto)' \
        '--picture-limit[images\: memory limit for one image, if above 32 times its file size (default 268)]:MB: ' \
        '--device[device (default cpu)]:choice:(cpu cuda ref)' \
        '--deterministic[with cuda\: bit-identical runs, slower]' \
        '--strict[exit 1 if the verdict is "do not use"; files are written all the same]' \
        '--precision[precision of activations and products (default auto\: the fastest in training; f32 where a CPU uses a model)]:choice:(auto f32 tf32 bf16)' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' \
        '1: :_files' ;;
    normalize) _arguments \
        '--embeddings[z, N x D]:FILE:_files' \
        '--poses[g, one pose per row]:FILE:_files' \
        {-o,--out}'[folder for the results]:DIR:_files' \
        '--save-index[write all that queries need of the points]:FILE:_files' \
        '--index[answer --query by this; --embeddings are added]:FILE:_files' \
        '--group[group of the poses (default so2)\: so2, so3, o2, se2, se3, scale, c2 to c360 (cyclic), d2 to d64 (dihedral), torus1 to torus16 (angles), r1 to r3 (shifts) and products of two (so2*scale)]:NAME:_files' \
        '--quaternions[order of quaternions\: w first, or w last (SciPy, ROS, Eigen'\''s coeffs)]:choice:(wxyz xyzw)' \
        {-k,--k}'[with knn\: number of neighbours in a class (default 10)]:N: ' \
        '--query[evaluate these instead of the points themselves]:ZQ:_files:GQ:_files' \
        '--mean[kind of mean for Gamma (default auto)]:choice:(auto tukey frechet chordal)' \
        '--tukey-c[fix Tukey'\''s c (default\: from the data)]:DEG: ' \
        '--classes[knn (default), components, or a file with a class of your own for each row]:HOW:_files' \
        '--eps[with components\: connect points closer than this]:E: ' \
        '--metric[similarity of embeddings (default cosine)]:choice:(cosine dot euclidean)' \
        '--include-self[count a point among its own neighbours]' \
        '--family[distribution to fit (default auto; so3 is fisher)]:choice:(auto uniform normal vonmises mixture fisher)' \
        '--labels[true classes, used only for the hit rate]:FILE:_files' \
        '--query-labels[the same for the queries]:FILE:_files' \
        '--approx[neighbour search (default auto\: exact up to a million rows)]:choice:(auto exact ivf hnsw)' \
        '--device[device of the exact search (default cpu)]:choice:(cpu cuda ref)' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' ;;
    report) _arguments \
        {-o,--out}'[the page (default DIR/report.html)]:FILE:_files' \
        {-d,--data}'[a file, a folder or a known set; images\: garments, mnist/train|val|test, mnist12k/train|val|test, fashion/train|val|test, cifar10/train|val|test, idx\:FILE, npy\:FILE, images\:DIR|FILE, amat\:FILE; molecules\: conformers/train|val|test|all, xyz\:FILE|DIR|LIST, sdf\:FILE, geom\:FILE, flat\:DIR; or a path to such a file or folder]:SPEC:_recon_specs' \
        '--rotate[rotate the data first, by a rule\: mnist, fashion, all; fisher, haar; or a JSON file]:RULE:_files' \
        '--rotate-seed[seed of these rotations (default 1)]:S: ' \
        '--limit[use a random subset of N images or conformers]:N: ' \
        '--seed[random seed (default 1)]:S: ' \
        '--skip-bad[skip inputs that cannot be used; they are listed]' \
        '--size[images\: scale to N x N by their shorter side; default\: the model'\''s size, if any]:N: ' \
        '--crop[images\: auto\: centre each object and scale it to fill the frame; models trained on crops always do]:choice:(none auto)' \
        '--picture-limit[images\: memory limit for one image, if above 32 times its file size (default 268)]:MB: ' \
        '--device[device (default cpu)]:choice:(cpu cuda ref)' \
        '--deterministic[with cuda\: bit-identical runs, slower]' \
        '--strict[exit 1 if the verdict is "do not use"; files are written all the same]' \
        '--precision[precision of activations and products (default auto\: the fastest in training; f32 where a CPU uses a model)]:choice:(auto f32 tf32 bf16)' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' \
        '1: :_files' ;;
    canonicalize) _arguments \
        {-m,--model}'[what `recon discover` wrote (required)]:MODEL:_recon_models' \
        {-o,--out}'[output file or folder (required)]:FILE.npy|DIR|FILE.xyz:_files' \
        '--poses[file for the poses, or for a table]:g.npy|g.csv:_files' \
        '--lambda[where the natural pose comes from (default auto\: what discover chose)]:choice:(auto neighbours head density)' \
        '--only-if[rotate only inputs whose pose has a p-value below P]:P: ' \
        '--only-one[rotate only inputs whose verdict is one natural pose]' \
        '--all[rotate all inputs, also those without a natural pose]' \
        '--actions[table of actions for inputs and clusters\: an edited clusters.csv]:FILE.csv:_files' \
        '--anchor[this input is upright after rotating it by DEGREES; its cluster follows; may be repeated]:FILE=DEGREES: ' \
        '--examples[inputs that are upright already; their clusters follow]:SPEC:_recon_specs' \
        '--prior[clusters are upright as this model, such as general, holds; default\: as in the data]:MODEL:_recon_models' \
        '--spin[molecules\: let this classifier choose the spin if it is free]:CLASSIFIER:_files' \
        '--spin-from[molecules\: conformers to evaluate it on, preferably not its training data (default\: --data)]:SPEC:_recon_specs' \
        '--spin-k[molecules\: number of nearest conformers to evaluate (default 8)]:N: ' \
        '--interpolation[images\: interpolation of the resampling (default bilinear)]:choice:(bilinear bicubic)' \
        '--quality[images\: quality of JPEG files, 1 to 100 (default 95)]:N: ' \
        '--fill[images\: colour of empty corners in image files (default zero\: black, or transparent)]:zero|edge|white|#rrggbb:_files' \
        '--keep[images\: keep the size of image files, or enlarge the frame so that nothing is cut off (default size)]:choice:(size all)' \
        {-d,--data}'[a file, a folder or a known set; images\: garments, mnist/train|val|test, mnist12k/train|val|test, fashion/train|val|test, cifar10/train|val|test, idx\:FILE, npy\:FILE, images\:DIR|FILE, amat\:FILE; molecules\: conformers/train|val|test|all, xyz\:FILE|DIR|LIST, sdf\:FILE, geom\:FILE, flat\:DIR; or a path to such a file or folder (required)]:SPEC:_recon_specs' \
        '--rotate[rotate the data first, by a rule\: mnist, fashion, all; fisher, haar; or a JSON file]:RULE:_files' \
        '--rotate-seed[seed of these rotations (default 1)]:S: ' \
        '--limit[use a random subset of N images or conformers]:N: ' \
        '--seed[random seed (default 1)]:S: ' \
        '--skip-bad[skip inputs that cannot be used; they are listed]' \
        '--size[images\: scale to N x N by their shorter side; default\: the model'\''s size, if any]:N: ' \
        '--crop[images\: auto\: centre each object and scale it to fill the frame; models trained on crops always do]:choice:(none auto)' \
        '--picture-limit[images\: memory limit for one image, if above 32 times its file size (default 268)]:MB: ' \
        '--device[device (default cpu)]:choice:(cpu cuda ref)' \
        '--deterministic[with cuda\: bit-identical runs, slower]' \
        '--strict[exit 1 if the verdict is "do not use"; files are written all the same]' \
        '--precision[precision of activations and products (default auto\: the fastest in training; f32 where a CPU uses a model)]:choice:(auto f32 tf32 bf16)' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' \
        '1: :_files' ;;
    audit) _arguments \
        {-m,--model}'[what `recon discover` wrote (default\: the shipped model that knows most)]:MODEL:_recon_models' \
        {-o,--out}'[table of all inputs, FILE.csv, or a page and a table, FILE.html]:FILE:_files' \
        '--fdr[false-discovery rate\: the share of the inputs called wrong that may be right (default 0.05)]:SHARE: ' \
        {-d,--data}'[a file, a folder or a known set; images\: garments, mnist/train|val|test, mnist12k/train|val|test, fashion/train|val|test, cifar10/train|val|test, idx\:FILE, npy\:FILE, images\:DIR|FILE, amat\:FILE; molecules\: conformers/train|val|test|all, xyz\:FILE|DIR|LIST, sdf\:FILE, geom\:FILE, flat\:DIR; or a path to such a file or folder (required)]:SPEC:_recon_specs' \
        '--rotate[rotate the data first, by a rule\: mnist, fashion, all; fisher, haar; or a JSON file]:RULE:_files' \
        '--rotate-seed[seed of these rotations (default 1)]:S: ' \
        '--limit[use a random subset of N images or conformers]:N: ' \
        '--seed[random seed (default 1)]:S: ' \
        '--skip-bad[skip inputs that cannot be used; they are listed]' \
        '--size[images\: scale to N x N by their shorter side; default\: the model'\''s size, if any]:N: ' \
        '--crop[images\: auto\: centre each object and scale it to fill the frame; models trained on crops always do]:choice:(none auto)' \
        '--picture-limit[images\: memory limit for one image, if above 32 times its file size (default 268)]:MB: ' \
        '--device[device (default cpu)]:choice:(cpu cuda ref)' \
        '--deterministic[with cuda\: bit-identical runs, slower]' \
        '--strict[exit 1 if the verdict is "do not use"; files are written all the same]' \
        '--precision[precision of activations and products (default auto\: the fastest in training; f32 where a CPU uses a model)]:choice:(auto f32 tf32 bf16)' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' \
        '1: :_files' ;;
    score) _arguments \
        {-m,--model}'[what `recon discover` wrote (required)]:MODEL:_recon_models' \
        {-o,--out}'[file for the scores, or for a table of them (default\: the table on standard output)]:s.npy|s.csv:_files' \
        '--rows[file for the indices of the scored inputs, from 0]:r.npy:_files' \
        '--false-alarms[fraction of natural inputs allowed to be flagged (default 0.01)]:SHARE: ' \
        {-d,--data}'[a file, a folder or a known set; images\: garments, mnist/train|val|test, mnist12k/train|val|test, fashion/train|val|test, cifar10/train|val|test, idx\:FILE, npy\:FILE, images\:DIR|FILE, amat\:FILE; molecules\: conformers/train|val|test|all, xyz\:FILE|DIR|LIST, sdf\:FILE, geom\:FILE, flat\:DIR; or a path to such a file or folder (required)]:SPEC:_recon_specs' \
        '--rotate[rotate the data first, by a rule\: mnist, fashion, all; fisher, haar; or a JSON file]:RULE:_files' \
        '--rotate-seed[seed of these rotations (default 1)]:S: ' \
        '--limit[use a random subset of N images or conformers]:N: ' \
        '--seed[random seed (default 1)]:S: ' \
        '--skip-bad[skip inputs that cannot be used; they are listed]' \
        '--size[images\: scale to N x N by their shorter side; default\: the model'\''s size, if any]:N: ' \
        '--crop[images\: auto\: centre each object and scale it to fill the frame; models trained on crops always do]:choice:(none auto)' \
        '--picture-limit[images\: memory limit for one image, if above 32 times its file size (default 268)]:MB: ' \
        '--device[device (default cpu)]:choice:(cpu cuda ref)' \
        '--deterministic[with cuda\: bit-identical runs, slower]' \
        '--strict[exit 1 if the verdict is "do not use"; files are written all the same]' \
        '--precision[precision of activations and products (default auto\: the fastest in training; f32 where a CPU uses a model)]:choice:(auto f32 tf32 bf16)' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' \
        '1: :_files' ;;
    distribution) _arguments \
        {-m,--model}'[what `recon discover` wrote (required)]:MODEL:_recon_models' \
        '--index[index of the image or conformer, from 0 (default 0)]:I: ' \
        '--svg[also plot it]:FILE:_files' \
        {-d,--data}'[a file, a folder or a known set; images\: garments, mnist/train|val|test, mnist12k/train|val|test, fashion/train|val|test, cifar10/train|val|test, idx\:FILE, npy\:FILE, images\:DIR|FILE, amat\:FILE; molecules\: conformers/train|val|test|all, xyz\:FILE|DIR|LIST, sdf\:FILE, geom\:FILE, flat\:DIR; or a path to such a file or folder (required)]:SPEC:_recon_specs' \
        '--rotate[rotate the data first, by a rule\: mnist, fashion, all; fisher, haar; or a JSON file]:RULE:_files' \
        '--rotate-seed[seed of these rotations (default 1)]:S: ' \
        '--limit[use a random subset of N images or conformers]:N: ' \
        '--seed[random seed (default 1)]:S: ' \
        '--skip-bad[skip inputs that cannot be used; they are listed]' \
        '--size[images\: scale to N x N by their shorter side; default\: the model'\''s size, if any]:N: ' \
        '--crop[images\: auto\: centre each object and scale it to fill the frame; models trained on crops always do]:choice:(none auto)' \
        '--picture-limit[images\: memory limit for one image, if above 32 times its file size (default 268)]:MB: ' \
        '--device[device (default cpu)]:choice:(cpu cuda ref)' \
        '--deterministic[with cuda\: bit-identical runs, slower]' \
        '--strict[exit 1 if the verdict is "do not use"; files are written all the same]' \
        '--precision[precision of activations and products (default auto\: the fastest in training; f32 where a CPU uses a model)]:choice:(auto f32 tf32 bf16)' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' \
        '1: :_files' ;;
    export) _arguments \
        {-m,--model}'[what `recon discover` or `recon classifier train` wrote (required)]:MODEL:_recon_models' \
        {-o,--out}'[output file (required)]:FILE.onnx:_files' \
        '--what[what the file computes for each image (default pose)]:choice:(pose canonicalize score classifier)' \
        '--lambda[where the natural pose comes from (default auto\: what discover chose)]:choice:(auto neighbours head density)' \
        '--licence[licence of the model, recorded in the file (default\: none)]:TEXT:_files' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' ;;
    check) _arguments \
        '--svg[images\: also plot the errors]:FILE:_files' \
        {-d,--data}'[a file, a folder or a known set; images\: garments, mnist/train|val|test, mnist12k/train|val|test, fashion/train|val|test, cifar10/train|val|test, idx\:FILE, npy\:FILE, images\:DIR|FILE, amat\:FILE; molecules\: conformers/train|val|test|all, xyz\:FILE|DIR|LIST, sdf\:FILE, geom\:FILE, flat\:DIR; or a path to such a file or folder]:SPEC:_recon_specs' \
        '--rotate[rotate the data first, by a rule\: mnist, fashion, all; fisher, haar; or a JSON file]:RULE:_files' \
        '--rotate-seed[seed of these rotations (default 1)]:S: ' \
        '--limit[use a random subset of N images or conformers]:N: ' \
        '--seed[random seed (default 1)]:S: ' \
        '--skip-bad[skip inputs that cannot be used; they are listed]' \
        '--size[images\: scale to N x N by their shorter side; default\: the model'\''s size, if any]:N: ' \
        '--crop[images\: auto\: centre each object and scale it to fill the frame; models trained on crops always do]:choice:(none auto)' \
        '--picture-limit[images\: memory limit for one image, if above 32 times its file size (default 268)]:MB: ' \
        '--device[device (default cpu)]:choice:(cpu cuda ref)' \
        '--deterministic[with cuda\: bit-identical runs, slower]' \
        '--strict[exit 1 if the verdict is "do not use"; files are written all the same]' \
        '--precision[precision of activations and products (default auto\: the fastest in training; f32 where a CPU uses a model)]:choice:(auto f32 tf32 bf16)' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' \
        '1: :_files' ;;
    classifier) _arguments \
        {-o,--out}'[train\: file for the best weights]:MODEL:_files' \
        {-m,--model}'[eval\: what train wrote]:MODEL:_recon_models' \
        '--net[images\: network (default small)]:choice:(small resnet18)' \
        '--width[channels of resnet18'\''s first stage (default 64), of the molecule network (default 128)]:N: ' \
        '--shift[images\: shift randomly by up to P pixels (default 0)]:P: ' \
        '--flip[images\: flip horizontally with probability 1/2]' \
        '--epochs[passes over the data (default 3, resnet18 15, molecules 50)]:N: ' \
        '--batch[batch size (default 64, resnet18 and molecules 128)]:N: ' \
        '--rate[highest learning rate (default 0.002, resnet18 and molecules 0.001)]:R: ' \
        '--decay[images\: weight decay, times the learning rate; 0\: none (default 0.01)]:D: ' \
        '--held[molecules\: train\: validation data (default\: one conformer in twelve of each molecule)]:SPEC:_recon_specs' \
        '--every[also write a checkpoint every N steps (default\: after epochs, in a twentieth of the time at most)]:N: ' \
        '--weights[precision of the weights in MODEL (default f32)]:choice:(f32 bf16)' \
        '--resume[continue from MODEL.last; with more --epochs also a finished run]' \
        '--overwrite[replace MODEL and MODEL.last if they exist]' \
        {-d,--data}'[a file, a folder or a known set; images\: garments, mnist/train|val|test, mnist12k/train|val|test, fashion/train|val|test, cifar10/train|val|test, idx\:FILE, npy\:FILE, images\:DIR|FILE, amat\:FILE; molecules\: conformers/train|val|test|all, xyz\:FILE|DIR|LIST, sdf\:FILE, geom\:FILE, flat\:DIR; or a path to such a file or folder (required)]:SPEC:_recon_specs' \
        '--rotate[rotate the data first, by a rule\: mnist, fashion, all; fisher, haar; or a JSON file]:RULE:_files' \
        '--rotate-seed[seed of these rotations (default 1)]:S: ' \
        '--limit[use a random subset of N images or conformers]:N: ' \
        '--seed[random seed (default 1)]:S: ' \
        '--skip-bad[skip inputs that cannot be used; they are listed]' \
        '--size[images\: scale to N x N by their shorter side; default\: the model'\''s size, if any]:N: ' \
        '--crop[images\: auto\: centre each object and scale it to fill the frame; models trained on crops always do]:choice:(none auto)' \
        '--picture-limit[images\: memory limit for one image, if above 32 times its file size (default 268)]:MB: ' \
        '--device[device (default cpu)]:choice:(cpu cuda ref)' \
        '--deterministic[with cuda\: bit-identical runs, slower]' \
        '--strict[exit 1 if the verdict is "do not use"; files are written all the same]' \
        '--precision[precision of activations and products (default auto\: the fastest in training; f32 where a CPU uses a model)]:choice:(auto f32 tf32 bf16)' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' \
        '1: :(train eval)' ;;
    "reproduce mnist") _arguments \
        '--quick[use part of the data\: minutes on two cores]' \
        {-m,--model}'[what `recon discover` wrote, one of each kind of backbone (default\: the shipped models)]:MODEL:_recon_models' \
        '--classifier[what `recon classifier train` wrote (default\: the shipped one)]:MODEL:_recon_models' \
        '--figures[write the figures to DIR as SVG, and a page of all runs, DIR/report.html]:DIR:_files' \
        '--images[number of test images (default all)]:N: ' \
        '--limit[number of training images, drawn at random (default all)]:N: ' \
        '--train[train the models instead of using shipped ones]' \
        '--resume[with --train\: continue an interrupted run]' \
        '--overwrite[with --train\: replace models in DIR]' \
        {-o,--out}'[folder for the models, and for pictures that are drawn]:DIR:_files' \
        '--epochs[training\: passes over the data (default\: the shipped model'\''s, the preset'\''s)]:N: ' \
        '--seed[training\: seed of the first model (default 1)]:S: ' \
        '--seeds[training\: number of models, for mean and spread (default 1)]:N: ' \
        '--preset[with --train\: which model (default fast)]:choice:(fast paper small)' \
        '--backbone[with --train\: the kind of backbone to train (default all)]:choice:(all plain terms density)' \
        '--embeddings[z.npy and g.npy of the training images, as `recon discover` keeps them]:DIR:_files' \
        '--resample[control\: resample every image twice, so that sharpness does not reveal which were rotated; with --train also the training images]' \
        '--baselines[also measure other methods\: equivariant classifiers, EquiAdapt, alignment, averaging]' \
        '--rival[with --baselines\: measure only this network, without a backbone (with --train\: train it first; default all)]:choice:(all augmented escnn equiadapt partial_gcnn sgm)' \
        '--device[device (default cpu)]:choice:(cpu cuda ref)' \
        '--precision[precision of activations and products (default auto\: the fastest in training; f32 where a CPU uses a model)]:choice:(auto f32 tf32 bf16)' \
        '--deterministic[with cuda\: bit-identical runs, slower]' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' ;;
    "reproduce mnist12k") _arguments \
        '--quick[use part of the data\: minutes on two cores]' \
        {-m,--model}'[what `recon discover` wrote, one of each kind of backbone (default\: the shipped models)]:MODEL:_recon_models' \
        '--classifier[what `recon classifier train` wrote (default\: the shipped one)]:MODEL:_recon_models' \
        '--figures[write the figures to DIR as SVG, and a page of all runs, DIR/report.html]:DIR:_files' \
        '--images[number of test images (default all)]:N: ' \
        '--limit[number of training images, drawn at random (default all)]:N: ' \
        '--train[train the models instead of using shipped ones]' \
        '--resume[with --train\: continue an interrupted run]' \
        '--overwrite[with --train\: replace models in DIR]' \
        {-o,--out}'[folder for the models, and for pictures that are drawn]:DIR:_files' \
        '--epochs[training\: passes over the data (default\: the shipped model'\''s, the preset'\''s)]:N: ' \
        '--seed[training\: seed of the first model (default 1)]:S: ' \
        '--seeds[training\: number of models, for mean and spread (default 1)]:N: ' \
        '--preset[with --train\: which model (default fast)]:choice:(fast paper small)' \
        '--backbone[with --train\: the kind of backbone to train (default all)]:choice:(all plain terms density)' \
        '--embeddings[z.npy and g.npy of the training images, as `recon discover` keeps them]:DIR:_files' \
        '--resample[control\: resample every image twice, so that sharpness does not reveal which were rotated; with --train also the training images]' \
        '--baselines[also measure other methods\: equivariant classifiers, EquiAdapt, alignment, averaging]' \
        '--rival[with --baselines\: measure only this network, without a backbone (with --train\: train it first; default all)]:choice:(all augmented escnn equiadapt partial_gcnn sgm)' \
        '--device[device (default cpu)]:choice:(cpu cuda ref)' \
        '--precision[precision of activations and products (default auto\: the fastest in training; f32 where a CPU uses a model)]:choice:(auto f32 tf32 bf16)' \
        '--deterministic[with cuda\: bit-identical runs, slower]' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' ;;
    "reproduce fashion") _arguments \
        '--quick[use part of the data\: minutes on two cores]' \
        {-m,--model}'[what `recon discover` wrote, one of each kind of backbone (default\: the shipped models)]:MODEL:_recon_models' \
        '--classifier[what `recon classifier train` wrote (default\: the shipped one)]:MODEL:_recon_models' \
        '--figures[write the figures to DIR as SVG, and a page of all runs, DIR/report.html]:DIR:_files' \
        '--images[number of test images (default all)]:N: ' \
        '--limit[number of training images, drawn at random (default all)]:N: ' \
        '--train[train the models instead of using shipped ones]' \
        '--resume[with --train\: continue an interrupted run]' \
        '--overwrite[with --train\: replace models in DIR]' \
        {-o,--out}'[folder for the models, and for pictures that are drawn]:DIR:_files' \
        '--epochs[training\: passes over the data (default\: the shipped model'\''s, the preset'\''s)]:N: ' \
        '--seed[training\: seed of the first model (default 1)]:S: ' \
        '--seeds[training\: number of models, for mean and spread (default 1)]:N: ' \
        '--preset[with --train\: which model (default fast)]:choice:(fast paper small)' \
        '--backbone[with --train\: the kind of backbone to train (default all)]:choice:(all plain terms density)' \
        '--embeddings[z.npy and g.npy of the training images, as `recon discover` keeps them]:DIR:_files' \
        '--resample[control\: resample every image twice, so that sharpness does not reveal which were rotated; with --train also the training images]' \
        '--baselines[also measure other methods\: equivariant classifiers, EquiAdapt, alignment, averaging]' \
        '--rival[with --baselines\: measure only this network, without a backbone (with --train\: train it first; default all)]:choice:(all augmented escnn equiadapt partial_gcnn sgm)' \
        '--device[device (default cpu)]:choice:(cpu cuda ref)' \
        '--precision[precision of activations and products (default auto\: the fastest in training; f32 where a CPU uses a model)]:choice:(auto f32 tf32 bf16)' \
        '--deterministic[with cuda\: bit-identical runs, slower]' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' ;;
    "reproduce images") _arguments \
        '--quick[use part of the data\: minutes on two cores]' \
        {-m,--model}'[what `recon discover` wrote, one of each kind of backbone (default\: the shipped models)]:MODEL:_recon_models' \
        '--classifier[what `recon classifier train` wrote (default\: the shipped one)]:MODEL:_recon_models' \
        '--figures[write the figures to DIR as SVG, and a page of all runs, DIR/report.html]:DIR:_files' \
        '--images[number of test images (default all)]:N: ' \
        {-d,--data}'[labelled test images (required)]:SPEC:_recon_specs' \
        '--rotate[rule of the rotations\: mnist, fashion, all or a JSON file (required)]:RULE:_files' \
        '--resample[control\: resample every image twice, so that sharpness does not reveal which were rotated]' \
        '--baselines[also measure other methods\: alignment, averaging]' \
        '--device[device (default cpu)]:choice:(cpu cuda ref)' \
        '--precision[precision of activations and products (default auto\: the fastest in training; f32 where a CPU uses a model)]:choice:(auto f32 tf32 bf16)' \
        '--deterministic[with cuda\: bit-identical runs, slower]' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' ;;
    "reproduce molecules") _arguments \
        '--quick[use part of the data\: minutes on two cores]' \
        {-m,--model}'[what `recon discover` wrote (default\: the shipped model)]:MODEL:_recon_models' \
        '--classifier[what `recon classifier train` wrote (default\: the shipped one)]:MODEL:_recon_models' \
        '--figures[write the figures to DIR as SVG, and a page of all runs, DIR/report.html]:DIR:_files' \
        '--train[train the models instead of using shipped ones]' \
        '--resume[with --train\: continue an interrupted run]' \
        '--overwrite[with --train\: replace models in DIR]' \
        {-o,--out}'[folder for the models, and for pictures that are drawn]:DIR:_files' \
        '--epochs[training\: passes over the data (default\: the shipped model'\''s, the preset'\''s)]:N: ' \
        '--seed[training\: seed of the first model (default 1)]:S: ' \
        '--seeds[training\: number of models, for mean and spread (default 1)]:N: ' \
        {-d,--data}'[geom\:FILE or flat\:DIR in place of the shipped conformers]:SPEC:_recon_specs' \
        '--preset[with --train\: which model (default fast)]:choice:(fast paper small)' \
        '--baselines[also measure other methods\: EquiAdapt, SEGNN, alignment]' \
        '--rival[with --baselines\: measure only this network (with --train\: train it first; default all)]:choice:(all equiadapt segnn)' \
        '--device[device (default cpu)]:choice:(cpu cuda ref)' \
        '--precision[precision of activations and products (default auto\: the fastest in training; f32 where a CPU uses a model)]:choice:(auto f32 tf32 bf16)' \
        '--deterministic[with cuda\: bit-identical runs, slower]' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' ;;
    "reproduce estimators") _arguments \
        '--figures[write the figures to DIR as SVG, and a page of all runs, DIR/report.html]:DIR:_files' \
        '--seed[seed of the samples (default 1)]:S: ' \
        '--device[device (default cpu)]:choice:(cpu cuda ref)' \
        '--precision[precision of activations and products (default auto\: the fastest in training; f32 where a CPU uses a model)]:choice:(auto f32 tf32 bf16)' \
        '--deterministic[with cuda\: bit-identical runs, slower]' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' ;;
    "reproduce groups") _arguments \
        '--quick[use part of the data\: minutes on two cores]' \
        '--seed[seed of the samples (default 1)]:S: ' \
        '--device[device (default cpu)]:choice:(cpu cuda ref)' \
        '--precision[precision of activations and products (default auto\: the fastest in training; f32 where a CPU uses a model)]:choice:(auto f32 tf32 bf16)' \
        '--deterministic[with cuda\: bit-identical runs, slower]' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' ;;
    "reproduce letters") _arguments \
        '--quick[use part of the data\: minutes on two cores]' \
        '--fonts[folder of fonts (default /usr/share/fonts)]:DIR:_files' \
        '--size[side of the model'\''s inputs, in pixels]:N: ' \
        {-o,--out}'[folder for the models, and for pictures that are drawn]:DIR:_files' \
        '--epochs[training\: passes over the data (default\: the shipped model'\''s, the preset'\''s)]:N: ' \
        '--seed[training\: seed of the first model (default 1)]:S: ' \
        '--seeds[training\: number of models, for mean and spread (default 1)]:N: ' \
        {-m,--model}'[what `recon train` wrote, instead of training]:MODEL:_recon_models' \
        '--laws[kinds, distributions, counts and sizes, as JSON]:FILE:_files' \
        '--draws[test images per letter and font, rotated as in training (default 2)]:N: ' \
        '--crop[as for `recon train`]:choice:(none auto)' \
        '--preset[which model (default small)]:choice:(fast paper small)' \
        '--device[device (default cpu)]:choice:(cpu cuda ref)' \
        '--precision[precision of activations and products (default auto\: the fastest in training; f32 where a CPU uses a model)]:choice:(auto f32 tf32 bf16)' \
        '--deterministic[with cuda\: bit-identical runs, slower]' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' ;;
    "reproduce cifar10") _arguments \
        '--quick[use part of the data\: minutes on two cores]' \
        {-m,--model}'[what `recon discover` wrote (default\: the shipped model)]:MODEL:_recon_models' \
        '--classifier[what `recon classifier train` wrote (default\: the shipped one)]:MODEL:_recon_models' \
        '--images[number of test images (default all)]:N: ' \
        '--limit[number of training images, drawn at random (default all)]:N: ' \
        '--train[train the models instead of using shipped ones]' \
        '--resume[with --train\: continue an interrupted run]' \
        '--overwrite[with --train\: replace models in DIR]' \
        {-o,--out}'[folder for the models, and for pictures that are drawn]:DIR:_files' \
        '--epochs[training\: passes over the data (default\: the shipped model'\''s, the preset'\''s)]:N: ' \
        '--seed[training\: seed of the first model (default 1)]:S: ' \
        '--augmented[a classifier trained with rotations (with --train it is trained)]:MODEL:_recon_models' \
        '--preset[with --train\: which model (default photo-small, or photo with cuda)]:choice:(photo photo-small)' \
        '--device[device (default cpu)]:choice:(cpu cuda ref)' \
        '--precision[precision of activations and products (default auto\: the fastest in training; f32 where a CPU uses a model)]:choice:(auto f32 tf32 bf16)' \
        '--deterministic[with cuda\: bit-identical runs, slower]' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' ;;
    "reproduce words") _arguments \
        '--quick[use part of the data\: minutes on two cores]' \
        {-m,--model}'[what `recon discover` wrote (default\: the shipped model)]:MODEL:_recon_models' \
        '--fonts[folder of fonts (default /usr/share/fonts)]:DIR:_files' \
        '--images[number of test images (default all)]:N: ' \
        '--limit[number of training images, drawn at random (default all)]:N: ' \
        '--size[side of the model'\''s inputs, in pixels]:N: ' \
        '--train[train the models instead of using shipped ones]' \
        '--resume[with --train\: continue an interrupted run]' \
        '--overwrite[with --train\: replace models in DIR]' \
        '--epochs[training\: passes over the data (default\: the shipped model'\''s, the preset'\''s)]:N: ' \
        '--seed[training\: seed of the first model (default 1)]:S: ' \
        {-o,--out}'[folder for the pictures, and with --train for the model]:DIR:_files' \
        '--preset[with --train\: which model (default photo)]:choice:(fast paper small photo photo-small)' \
        '--reader[which readers (default all)]:choice:(all ppocr tesseract)' \
        '--device[device (default cpu)]:choice:(cpu cuda ref)' \
        '--precision[precision of activations and products (default auto\: the fastest in training; f32 where a CPU uses a model)]:choice:(auto f32 tf32 bf16)' \
        '--deterministic[with cuda\: bit-identical runs, slower]' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' ;;
    info) _arguments \
        '--skip-bad[skip inputs that cannot be used, and list them]' \
        '--crop[images\: auto\: centre each object and scale it to fill the frame]:choice:(none auto)' \
        '--picture-limit[images\: memory limit for one image, if above 32 times its file size (default 268)]:MB: ' \
        '--features[list the optional libraries that are there, and what is lost without one]' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' \
        '1: :_files' ;;
    models) _arguments \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        {-q,--quiet}'[print errors only]' \
        '--help[explain]' ;;
    esac
}

_recon "$@"
