/* nn.h - the engine: parameters, a tape, layers, steerable networks, training; and two classifiers.
 *
 * Include it to build networks of your own. A program that only uses models needs recon.h alone. */
#ifndef RECON_NN_H
#define RECON_NN_H

#include <recon/group/irreps.h>
#include <recon/group/harmonics.h>
#include <recon/group/clebsch_gordan.h>
#include <recon/nn/params.h>
#include <recon/nn/tape.h>
#include <recon/nn/layers.h>
#include <recon/nn/nets.h>
#include <recon/nn/fields.h>
#include <recon/nn/steerable_basis.h>
#include <recon/nn/steerable.h>
#include <recon/nn/couple.h>
#include <recon/nn/segnn.h>
#include <recon/nn/adam.h>
#include <recon/nn/schedule.h>
#include <recon/nn/checkpoint.h>
#include <recon/nn/train.h>
#include <recon/backbone/classifier.h>
#include <recon/backbone/gcn.h>

#endif
