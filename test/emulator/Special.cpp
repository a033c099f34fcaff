// Special registers: their names and values.

#include "test/emulator/Machine.h"

namespace emulator {

std::optional<Special> specialOf(const std::string &name) {
  static const std::map<std::string, Special> known = {
      {"%tid.x", Special::ThreadX},
      {"%tid.y", Special::ThreadY},
      {"%tid.z", Special::ThreadZ},
      {"%ntid.x", Special::ThreadsX},
      {"%ntid.y", Special::ThreadsY},
      {"%ntid.z", Special::ThreadsZ},
      {"%ctaid.x", Special::BlockX},
      {"%ctaid.y", Special::BlockY},
      {"%ctaid.z", Special::BlockZ},
      {"%nctaid.x", Special::BlocksX},
      {"%nctaid.y", Special::BlocksY},
      {"%nctaid.z", Special::BlocksZ},
      {"%laneid", Special::Lane},
      {"%warpid", Special::Warp},
      {"%nwarpid", Special::Warps},
      {"%cluster_ctaid.x", Special::BlockInClusterX},
      {"%cluster_ctaid.y", Special::BlockInClusterY},
      {"%cluster_ctaid.z", Special::BlockInClusterZ},
      {"%cluster_nctaid.x", Special::ClusterX},
      {"%cluster_nctaid.y", Special::ClusterY},
      {"%cluster_nctaid.z", Special::ClusterZ},
      {"%cluster_ctarank", Special::RankInCluster},
      {"%cluster_nctarank", Special::BlocksOfCluster},
      {"%clusterid.x", Special::ClusterIdX},
      {"%clusterid.y", Special::ClusterIdY},
      {"%clusterid.z", Special::ClusterIdZ},
      {"%nclusterid.x", Special::ClustersX},
      {"%nclusterid.y", Special::ClustersY},
      {"%nclusterid.z", Special::ClustersZ},
      {"%smid", Special::Multiprocessor},
      {"%nsmid", Special::Multiprocessors},
      {"%clock", Special::Clock},
      {"%clock64", Special::Clock},
      {"%globaltimer", Special::Clock},
      {"%globaltimer_lo", Special::Clock},
      {"%lanemask_eq", Special::LanesEqual},
      {"%lanemask_lt", Special::LanesBefore},
      {"%lanemask_le", Special::LanesUpTo},
      {"%lanemask_gt", Special::LanesAfter},
      {"%lanemask_ge", Special::LanesFrom},
      {"%dynamic_smem_size", Special::DynamicSharedBytes},
      {"%total_smem_size", Special::AllSharedBytes},
  };
  auto at = known.find(name);
  return at == known.end() ? std::nullopt : std::optional(at->second);
}

uint64_t Warp::valueOf(Special special, unsigned lane) const {
  const Configuration &c = launch.configuration;
  const unsigned thread = index * kLanes + lane;
  const Dimensions &b = block.index;
  switch (special) {
  case Special::ThreadX:
    return thread % c.threads.x;
  case Special::ThreadY:
    return thread / c.threads.x % c.threads.y;
  case Special::ThreadZ:
    return thread / c.threads.x / c.threads.y;
  case Special::ThreadsX:
    return c.threads.x;
  case Special::ThreadsY:
    return c.threads.y;
  case Special::ThreadsZ:
    return c.threads.z;
  case Special::BlockX:
    return b.x;
  case Special::BlockY:
    return b.y;
  case Special::BlockZ:
    return b.z;
  case Special::BlocksX:
    return c.grid.x;
  case Special::BlocksY:
    return c.grid.y;
  case Special::BlocksZ:
    return c.grid.z;
  case Special::Lane:
    return lane;
  case Special::Warp:
    return index;
  case Special::Warps:
    return block.warps.size();
  case Special::BlockInClusterX:
    return b.x % c.cluster.x;
  case Special::BlockInClusterY:
    return b.y % c.cluster.y;
  case Special::BlockInClusterZ:
    return b.z % c.cluster.z;
  case Special::ClusterX:
    return c.cluster.x;
  case Special::ClusterY:
    return c.cluster.y;
  case Special::ClusterZ:
    return c.cluster.z;
  case Special::RankInCluster:
    return block.rank;
  case Special::BlocksOfCluster:
    return c.cluster.count();
  case Special::ClusterIdX:
    return b.x / c.cluster.x;
  case Special::ClusterIdY:
    return b.y / c.cluster.y;
  case Special::ClusterIdZ:
    return b.z / c.cluster.z;
  case Special::ClustersX:
    return c.grid.x / c.cluster.x;
  case Special::ClustersY:
    return c.grid.y / c.cluster.y;
  case Special::ClustersZ:
    return c.grid.z / c.cluster.z;
  case Special::Multiprocessor:
    return block.cluster.number % c.clustersAtOnce;
  case Special::Multiprocessors:
    return c.clustersAtOnce;
  case Special::Clock:
    return launch.clock;
  case Special::LanesEqual:
    return 1u << lane;
  case Special::LanesBefore:
    return (1u << lane) - 1;
  case Special::LanesUpTo:
    return (2u << lane) - 1;
  case Special::LanesAfter:
    return static_cast<uint32_t>(~((2u << lane) - 1));
  case Special::LanesFrom:
    return static_cast<uint32_t>(~((1u << lane) - 1));
  case Special::DynamicSharedBytes:
    return c.dynamicSharedBytes;
  case Special::AllSharedBytes:
    return launch.program.staticSharedBytes + c.dynamicSharedBytes;
  }
  return 0;
}

} // namespace emulator
