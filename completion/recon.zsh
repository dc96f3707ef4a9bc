#compdef recon
# Completion of recon for zsh. Made by tools/make-completion: `make docs`.
_recon_specs() {
    compset -P "*:" && { _files; return }
    compadd -S "" -- garments mnist mnist/train mnist/val mnist/test fashion fashion/train fashion/val fashion/test idx: npy: images: amat: conformers conformers/train conformers/val conformers/test conformers/all xyz: sdf: geom: flat:
}

_recon() {
    if (( CURRENT == 2 )); then
        local -a all=(
            'demo:a minute'\''s tour on shipped data and models, as a page to read'
            'train:train a backbone on images or molecules, without labels'
            'discover:find the natural poses of images or molecules, and learn them'
            'normalize:pose distributions from embeddings and poses of any backbone'
            'report:show what discover or normalize found, as one HTML page'
            'canonicalize:turn images or molecules into their natural pose'
            'score:say how unnatural the pose of each image or molecule is'
            'distribution:show the pose distribution of one image or molecule'
            'check:measure how truly a model turns with its images or molecules'
            'classifier:train or measure a classifier of images or molecules'
            'reproduce:the paper'\''s tables, ours beside theirs'
            'info:what an array, a model, a folder of results or a data set holds'
        )
        _describe command all
        return
    fi
    shift words; (( CURRENT-- ))
    case $words[1] in
    demo) _arguments \
        '--out[folder for the page and its files (default recon-demo)]:DIR:_files' \
        '--limit[garments (default all 2,000)\: fewer are quicker, figures rougher]:N: ' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        '--quiet[no progress, errors only]' \
        '--help[explain]' ;;
    train) _arguments \
        '--out[file for the best weights (required)]:MODEL:_files' \
        '--group[how objects are turned (default\: images so2, molecules so3)]:choice:(auto so2 so3)' \
        '--preset[network\: fast for a GPU (default), small for a CPU, the paper'\''s layers]:choice:(fast paper small)' \
        '--width[times the preset'\''s fields (default 1)]:F: ' \
        '--frequencies[images\: rotation orders of the fields, 2 to 4 (default\: preset'\''s)]:N: ' \
        '--code[length of the embedding (default 128, molecules 64)]:N: ' \
        '--mask[images\: see through a disc\: for objects that fill the corners]' \
        '--epochs[times through the data (default\: preset'\''s)]:N: ' \
        '--batch[images or conformers a step (default\: preset'\''s)]:N: ' \
        '--rate[highest learning rate (default\: preset'\''s)]:R: ' \
        '--contrast[weight of telling inputs apart (default\: preset'\''s)]:W: ' \
        '--no-contrast[leave that out\: better where classes differ by details]' \
        '--temperature[of that (default 0.2, molecules 0.1)]:T: ' \
        '--pose[images\: weight of the known turn between views (default\: preset'\''s)]:W: ' \
        '--lean[images\: weight of the natural pose (default\: preset'\''s)]:W: ' \
        '--warp[images\: stretch the second view by up to S (default 0.2)]:S: ' \
        '--plain[the reconstruction alone, as in the paper]' \
        '--align[molecules\: weight of laying neighbours over each other (default 4, small 0.5)]:W: ' \
        '--element[molecules\: weight of the elements (default\: preset'\''s)]:W: ' \
        '--held[molecules\: to validate on (default\: one conformer of twelve)]:SPEC:_recon_specs' \
        '--before[molecules\: epochs before neighbours are looked for (default 8)]:N: ' \
        '--layers[molecules\: of messages (default\: preset'\''s)]:N: ' \
        '--radius[molecules\: paper\: reach of a message in Angstrom (default 2)]:A: ' \
        '--every[a checkpoint every N steps too (default\: every epoch)]:N: ' \
        '--resume[go on from MODEL.last if it is there]' \
        '--data[images\: garments, mnist/train|val|test, fashion/train|val|test, idx\:FILE, npy\:FILE, images\:DIR, amat\:FILE; molecules\: conformers/train|val|test|all, xyz\:FILE|DIR|LIST, sdf\:FILE, geom\:FILE, flat\:DIR; or a file or folder of such (required)]:SPEC:_recon_specs' \
        '--turn[turn what is upright first\: mnist, fashion, all; fisher, haar; or a JSON file]:RULE:_files' \
        '--turn-seed[of those turns (default 1)]:S: ' \
        '--limit[take N images or conformers at random]:N: ' \
        '--seed[of what is random (default 1)]:S: ' \
        '--skip-bad[leave out what cannot be used, and say which]' \
        '--size[images\: fit pictures into N x N (default\: the model'\''s size, if any)]:N: ' \
        '--picture-limit[images\: the most memory that one picture may take, if that is above 32 times its file (default 268)]:MB: ' \
        '--device[where to compute (default cpu)]:choice:(cpu cuda ref)' \
        '--deterministic[with cuda\: the same bits in every run, more slowly]' \
        '--precision[of activations and products (default auto\: the fastest that is accurate enough)]:choice:(auto f32 tf32 bf16)' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        '--quiet[no progress, errors only]' \
        '--help[explain]' ;;
    discover) _arguments \
        '--model[what `recon train` wrote (required)]:MODEL:_files' \
        '--out[folder for the results (required)]:DIR:_files' \
        '--k[neighbours (default 10, molecules 25)]:N: ' \
        '--mean[centre of poses (default tukey; of molecules one that a class agrees on)]:choice:(tukey frechet chordal)' \
        '--family[images\: what Theta is the width of (default auto)]:choice:(auto uniform normal)' \
        '--half[store weights as bfloat16\: half the size]' \
        '--keep-embeddings[write z.npy and g.npy too]' \
        '--data[images\: garments, mnist/train|val|test, fashion/train|val|test, idx\:FILE, npy\:FILE, images\:DIR, amat\:FILE; molecules\: conformers/train|val|test|all, xyz\:FILE|DIR|LIST, sdf\:FILE, geom\:FILE, flat\:DIR; or a file or folder of such (required)]:SPEC:_recon_specs' \
        '--turn[turn what is upright first\: mnist, fashion, all; fisher, haar; or a JSON file]:RULE:_files' \
        '--turn-seed[of those turns (default 1)]:S: ' \
        '--limit[take N images or conformers at random]:N: ' \
        '--seed[of what is random (default 1)]:S: ' \
        '--skip-bad[leave out what cannot be used, and say which]' \
        '--size[images\: fit pictures into N x N (default\: the model'\''s size, if any)]:N: ' \
        '--picture-limit[images\: the most memory that one picture may take, if that is above 32 times its file (default 268)]:MB: ' \
        '--device[where to compute (default cpu)]:choice:(cpu cuda ref)' \
        '--deterministic[with cuda\: the same bits in every run, more slowly]' \
        '--precision[of activations and products (default auto\: the fastest that is accurate enough)]:choice:(auto f32 tf32 bf16)' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        '--quiet[no progress, errors only]' \
        '--help[explain]' ;;
    normalize) _arguments \
        '--embeddings[z, N x D (required)]:FILE:_files' \
        '--poses[g, one pose a row (required)]:FILE:_files' \
        '--out[folder for the results (required)]:DIR:_files' \
        '--group[the poses'\'' group (default so2)]:choice:(so2 so3)' \
        '--k[with knn\: neighbours that make a class (default 10)]:N: ' \
        '--query[answer for these instead of the points themselves]:ZQ:_files:GQ:_files' \
        '--mean[what Gamma is (default tukey)]:choice:(tukey frechet chordal)' \
        '--tukey-c[fix Tukey'\''s c (default\: from the data)]:DEG: ' \
        '--classes[what a class is (default knn)]:choice:(knn components)' \
        '--eps[with components\: join points nearer than this]:E: ' \
        '--metric[similarity of embeddings (default cosine)]:choice:(cosine dot euclidean)' \
        '--include-self[a point counts among its own neighbours]' \
        '--family[distribution to fit (default auto; so3 is fisher)]:choice:(auto uniform normal vonmises mixture fisher)' \
        '--labels[true classes, to measure the hit rate only]:FILE:_files' \
        '--query-labels[the same for the queries]:FILE:_files' \
        '--approx[neighbour search (default auto\: exact to a million rows)]:choice:(auto exact ivf hnsw)' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        '--quiet[no progress, errors only]' \
        '--help[explain]' ;;
    report) _arguments \
        '--out[the page (default DIR/report.html)]:FILE:_files' \
        '--data[images\: garments, mnist/train|val|test, fashion/train|val|test, idx\:FILE, npy\:FILE, images\:DIR, amat\:FILE; molecules\: conformers/train|val|test|all, xyz\:FILE|DIR|LIST, sdf\:FILE, geom\:FILE, flat\:DIR; or a file or folder of such]:SPEC:_recon_specs' \
        '--turn[turn what is upright first\: mnist, fashion, all; fisher, haar; or a JSON file]:RULE:_files' \
        '--turn-seed[of those turns (default 1)]:S: ' \
        '--limit[take N images or conformers at random]:N: ' \
        '--seed[of what is random (default 1)]:S: ' \
        '--skip-bad[leave out what cannot be used, and say which]' \
        '--size[images\: fit pictures into N x N (default\: the model'\''s size, if any)]:N: ' \
        '--picture-limit[images\: the most memory that one picture may take, if that is above 32 times its file (default 268)]:MB: ' \
        '--device[where to compute (default cpu)]:choice:(cpu cuda ref)' \
        '--deterministic[with cuda\: the same bits in every run, more slowly]' \
        '--precision[of activations and products (default auto\: the fastest that is accurate enough)]:choice:(auto f32 tf32 bf16)' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        '--quiet[no progress, errors only]' \
        '--help[explain]' \
        '1: :_files' ;;
    canonicalize) _arguments \
        '--model[what `recon discover` wrote (required)]:MODEL:_files' \
        '--out[for what is canonical (required)]:FILE.npy|DIR|FILE.xyz:_files' \
        '--poses[file for the poses]:g.npy:_files' \
        '--interpolation[images\: of the one resampling (default bilinear)]:choice:(bilinear bicubic)' \
        '--data[images\: garments, mnist/train|val|test, fashion/train|val|test, idx\:FILE, npy\:FILE, images\:DIR, amat\:FILE; molecules\: conformers/train|val|test|all, xyz\:FILE|DIR|LIST, sdf\:FILE, geom\:FILE, flat\:DIR; or a file or folder of such (required)]:SPEC:_recon_specs' \
        '--turn[turn what is upright first\: mnist, fashion, all; fisher, haar; or a JSON file]:RULE:_files' \
        '--turn-seed[of those turns (default 1)]:S: ' \
        '--limit[take N images or conformers at random]:N: ' \
        '--seed[of what is random (default 1)]:S: ' \
        '--skip-bad[leave out what cannot be used, and say which]' \
        '--size[images\: fit pictures into N x N (default\: the model'\''s size, if any)]:N: ' \
        '--picture-limit[images\: the most memory that one picture may take, if that is above 32 times its file (default 268)]:MB: ' \
        '--device[where to compute (default cpu)]:choice:(cpu cuda ref)' \
        '--deterministic[with cuda\: the same bits in every run, more slowly]' \
        '--precision[of activations and products (default auto\: the fastest that is accurate enough)]:choice:(auto f32 tf32 bf16)' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        '--quiet[no progress, errors only]' \
        '--help[explain]' ;;
    score) _arguments \
        '--model[what `recon discover` wrote (required)]:MODEL:_files' \
        '--out[file for the scores, or for a table of them (required)]:s.npy|s.csv:_files' \
        '--rows[file for which of the data they are, counted from 0]:r.npy:_files' \
        '--false-alarms[of natural inputs called odd (default 0.01)]:SHARE: ' \
        '--data[images\: garments, mnist/train|val|test, fashion/train|val|test, idx\:FILE, npy\:FILE, images\:DIR, amat\:FILE; molecules\: conformers/train|val|test|all, xyz\:FILE|DIR|LIST, sdf\:FILE, geom\:FILE, flat\:DIR; or a file or folder of such (required)]:SPEC:_recon_specs' \
        '--turn[turn what is upright first\: mnist, fashion, all; fisher, haar; or a JSON file]:RULE:_files' \
        '--turn-seed[of those turns (default 1)]:S: ' \
        '--limit[take N images or conformers at random]:N: ' \
        '--seed[of what is random (default 1)]:S: ' \
        '--skip-bad[leave out what cannot be used, and say which]' \
        '--size[images\: fit pictures into N x N (default\: the model'\''s size, if any)]:N: ' \
        '--picture-limit[images\: the most memory that one picture may take, if that is above 32 times its file (default 268)]:MB: ' \
        '--device[where to compute (default cpu)]:choice:(cpu cuda ref)' \
        '--deterministic[with cuda\: the same bits in every run, more slowly]' \
        '--precision[of activations and products (default auto\: the fastest that is accurate enough)]:choice:(auto f32 tf32 bf16)' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        '--quiet[no progress, errors only]' \
        '--help[explain]' ;;
    distribution) _arguments \
        '--model[what `recon discover` wrote (required)]:MODEL:_files' \
        '--index[of the image or conformer, from 0 on (default 0)]:I: ' \
        '--svg[draw it too]:FILE:_files' \
        '--data[images\: garments, mnist/train|val|test, fashion/train|val|test, idx\:FILE, npy\:FILE, images\:DIR, amat\:FILE; molecules\: conformers/train|val|test|all, xyz\:FILE|DIR|LIST, sdf\:FILE, geom\:FILE, flat\:DIR; or a file or folder of such (required)]:SPEC:_recon_specs' \
        '--turn[turn what is upright first\: mnist, fashion, all; fisher, haar; or a JSON file]:RULE:_files' \
        '--turn-seed[of those turns (default 1)]:S: ' \
        '--limit[take N images or conformers at random]:N: ' \
        '--seed[of what is random (default 1)]:S: ' \
        '--skip-bad[leave out what cannot be used, and say which]' \
        '--size[images\: fit pictures into N x N (default\: the model'\''s size, if any)]:N: ' \
        '--picture-limit[images\: the most memory that one picture may take, if that is above 32 times its file (default 268)]:MB: ' \
        '--device[where to compute (default cpu)]:choice:(cpu cuda ref)' \
        '--deterministic[with cuda\: the same bits in every run, more slowly]' \
        '--precision[of activations and products (default auto\: the fastest that is accurate enough)]:choice:(auto f32 tf32 bf16)' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        '--quiet[no progress, errors only]' \
        '--help[explain]' ;;
    check) _arguments \
        '--svg[images\: draw the errors too]:FILE:_files' \
        '--data[images\: garments, mnist/train|val|test, fashion/train|val|test, idx\:FILE, npy\:FILE, images\:DIR, amat\:FILE; molecules\: conformers/train|val|test|all, xyz\:FILE|DIR|LIST, sdf\:FILE, geom\:FILE, flat\:DIR; or a file or folder of such]:SPEC:_recon_specs' \
        '--turn[turn what is upright first\: mnist, fashion, all; fisher, haar; or a JSON file]:RULE:_files' \
        '--turn-seed[of those turns (default 1)]:S: ' \
        '--limit[take N images or conformers at random]:N: ' \
        '--seed[of what is random (default 1)]:S: ' \
        '--skip-bad[leave out what cannot be used, and say which]' \
        '--size[images\: fit pictures into N x N (default\: the model'\''s size, if any)]:N: ' \
        '--picture-limit[images\: the most memory that one picture may take, if that is above 32 times its file (default 268)]:MB: ' \
        '--device[where to compute (default cpu)]:choice:(cpu cuda ref)' \
        '--deterministic[with cuda\: the same bits in every run, more slowly]' \
        '--precision[of activations and products (default auto\: the fastest that is accurate enough)]:choice:(auto f32 tf32 bf16)' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        '--quiet[no progress, errors only]' \
        '--help[explain]' \
        '1: :_files' ;;
    classifier) _arguments \
        '--out[train\: file for the best weights]:MODEL:_files' \
        '--model[eval\: what train wrote]:MODEL:_files' \
        '--net[images\: network (default small)]:choice:(small resnet18)' \
        '--width[channels\: of resnet18'\''s first stage (default 64), of molecules (default 128)]:N: ' \
        '--shift[images\: move at random by up to P pixels (default 0)]:P: ' \
        '--flip[images\: mirror, left for right, half of the time]' \
        '--epochs[times through the data (default 3, resnet18 15, molecules 50)]:N: ' \
        '--batch[inputs a step (default 64, resnet18 and molecules 128)]:N: ' \
        '--rate[highest learning rate (default 0.002, resnet18 and molecules 0.001)]:R: ' \
        '--held[molecules\: train\: to validate on (default\: one conformer of twelve of each molecule)]:SPEC:_recon_specs' \
        '--every[a checkpoint every N steps too (default\: every epoch)]:N: ' \
        '--weights[as written to MODEL (default f32)]:choice:(f32 bf16)' \
        '--resume[go on from MODEL.last if it is there]' \
        '--data[images\: garments, mnist/train|val|test, fashion/train|val|test, idx\:FILE, npy\:FILE, images\:DIR, amat\:FILE; molecules\: conformers/train|val|test|all, xyz\:FILE|DIR|LIST, sdf\:FILE, geom\:FILE, flat\:DIR; or a file or folder of such (required)]:SPEC:_recon_specs' \
        '--turn[turn what is upright first\: mnist, fashion, all; fisher, haar; or a JSON file]:RULE:_files' \
        '--turn-seed[of those turns (default 1)]:S: ' \
        '--limit[take N images or conformers at random]:N: ' \
        '--seed[of what is random (default 1)]:S: ' \
        '--skip-bad[leave out what cannot be used, and say which]' \
        '--size[images\: fit pictures into N x N (default\: the model'\''s size, if any)]:N: ' \
        '--picture-limit[images\: the most memory that one picture may take, if that is above 32 times its file (default 268)]:MB: ' \
        '--device[where to compute (default cpu)]:choice:(cpu cuda ref)' \
        '--deterministic[with cuda\: the same bits in every run, more slowly]' \
        '--precision[of activations and products (default auto\: the fastest that is accurate enough)]:choice:(auto f32 tf32 bf16)' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        '--quiet[no progress, errors only]' \
        '--help[explain]' \
        '1: :(train eval)' ;;
    reproduce) _arguments \
        '--quick[a part of the data\: minutes on two cores]' \
        '--figures[write the figures there, as SVG]:DIR:_files' \
        '--model[what `recon discover` wrote (default\: the shipped one)]:MODEL:_files' \
        '--classifier[what `recon classifier train` wrote (default\: the shipped one)]:MODEL:_files' \
        '--embeddings[images\: z.npy and g.npy of the training images, as `recon discover` keeps them]:DIR:_files' \
        '--images[images\: of the test split (default all)]:N: ' \
        '--limit[images\: of the training split (default all; the paper has 12000 of MNIST)]:N: ' \
        '--preset[which model (default fast)]:choice:(fast paper small)' \
        '--train[train the model instead of taking a shipped one]' \
        '--out[with --train\: for the models]:DIR:_files' \
        '--epochs[with --train\: times through the data (default\: the shipped model'\''s)]:N: ' \
        '--seed[with --train\: of the first model (default 1)]:S: ' \
        '--seeds[with --train\: how many models, for mean and spread (default 1)]:N: ' \
        '--resume[with --train\: go on where a stopped run left off]' \
        '--device[where to compute (default cpu)]:choice:(cpu cuda ref)' \
        '--precision[of activations and products (default auto\: the fastest that is accurate enough)]:choice:(auto f32 tf32 bf16)' \
        '--deterministic[with cuda\: the same bits in every run, more slowly]' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        '--quiet[no progress, errors only]' \
        '--help[explain]' \
        '1: :(mnist fashion molecules)' ;;
    info) _arguments \
        '--skip-bad[leave out what cannot be used, and say which]' \
        '--picture-limit[images\: the most memory that one picture may take, if that is above 32 times its file (default 268)]:MB: ' \
        '--threads[threads to use (default\: all)]:N: ' \
        '--json[print one JSON object instead of text]' \
        '--quiet[no progress, errors only]' \
        '--help[explain]' \
        '1: :_files' ;;
    esac
}

_recon "$@"
